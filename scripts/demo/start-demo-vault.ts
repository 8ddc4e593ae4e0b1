import { randomBytes } from "node:crypto";
import { join } from "node:path";
import {
  enableKubernetesAuth,
  startOpenBao,
  writeKubernetesRole,
  writePolicy,
  writeSecret,
} from "@svc/testing";

/** A real vault with one secret, one role, and the JWT that may log in. */
export interface DemoVault extends AsyncDisposable {
  readonly address: string;
  readonly jwtPath: string;
  readonly password: string;
}

/** Starts and configures it; files go into `folder`. */
export async function startDemoVault(folder: string): Promise<DemoVault> {
  const bao = await startOpenBao();
  const password = randomBytes(18).toString("base64url");
  await writeSecret(bao, "secret/data/app", { password, url: "postgres://db:5432/app" });
  await writePolicy(bao, "demo", [{ path: "secret/data/app", capabilities: ["read"] }]);
  const kubernetes = await enableKubernetesAuth(bao, {
    name: "demo",
    namespace: "default",
    uid: "00000000-0000-4000-8000-000000000001",
    audiences: ["https://kubernetes.default.svc"],
  });
  await writeKubernetesRole(bao, "demo", {
    bound_service_account_names: "demo",
    bound_service_account_namespaces: "default",
    token_policies: ["demo"],
  });
  const jwtPath = join(folder, "jwt");
  await Bun.write(jwtPath, kubernetes.jwt);
  return {
    address: bao.address,
    jwtPath,
    password,
    [Symbol.asyncDispose]: async () => {
      await bao.stop();
      await kubernetes.stop();
    },
  };
}
