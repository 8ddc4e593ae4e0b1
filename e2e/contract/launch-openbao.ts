import {
  callBao,
  enableKubernetesAuth,
  type OpenBao,
  startOpenBao,
  writeKubernetesRole,
  writePolicy,
} from "@svc/testing";
import { ACCOUNT, POLICIES, ROLES } from "./fixture.ts";
import type { ContractServer } from "./server.ts";

/** The real server, set up with the fixture through its API. */
export async function launchOpenBao(): Promise<ContractServer> {
  const bao = await startOpenBao();
  for (const [name, rules] of Object.entries(POLICIES)) await writePolicy(bao, name, rules);
  const kubernetes = await enableKubernetesAuth(bao, ACCOUNT);
  for (const name of Object.keys(ROLES)) await writeRole(bao, name);
  await mountLeases(bao);
  return {
    address: bao.address,
    rootToken: bao.rootToken,
    unsealKey: bao.unsealKey,
    jwt: kubernetes.jwt,
    leased: { method: "POST", path: "leases/issue/short", body: { common_name: "a.test" } },
    stop: async () => {
      await bao.stop();
      await kubernetes.stop();
    },
  };
}

async function writeRole(bao: OpenBao, name: string): Promise<void> {
  const role = ROLES[name];
  await writeKubernetesRole(bao, name, {
    bound_service_account_names: role?.names,
    bound_service_account_namespaces: role?.namespaces,
    token_policies: ["app"],
    ...(role?.audience === undefined ? {} : { audience: role.audience }),
    ...(role?.ttlSeconds === undefined ? {} : { token_ttl: role.ttlSeconds }),
    ...(role?.maxTtlSeconds === undefined ? {} : { token_max_ttl: role.maxTtlSeconds }),
  });
}

/** Mounts PKI. Other engines with leases need a second server. PKI's leases are not renewable. */
async function mountLeases(bao: OpenBao): Promise<void> {
  const post = (path: string, body: object) => callBao(bao, { method: "POST", path, body });
  await post("sys/mounts/leases", { type: "pki" });
  await post("leases/root/generate/internal", {
    common_name: "test CA",
    ttl: "24h",
    key_type: "ec",
  });
  const role = { allow_any_name: true, generate_lease: true, ttl: "600s", key_type: "ec" };
  await post("leases/roles/short", role);
}
