import { describe, expect, test } from "bun:test";
import type { LoginMethod } from "@svc/settings";
import { decideSmall, injectedPodOf, type SmallPod } from "./testdata/injected-container.ts";

/** The decision about a pod that names the method, by method. */
interface Row {
  /** True if the pod gets a volume with the service account's token. */
  readonly token: boolean;
  readonly needsRole: boolean;
}

const rows: Readonly<Record<LoginMethod, Row>> = {
  kubernetes: { token: true, needsRole: true },
  jwt: { token: true, needsRole: true },
  cert: { token: false, needsRole: false },
  userpass: { token: false, needsRole: false },
  approle: { token: false, needsRole: false },
  token: { token: false, needsRole: false },
};

const places: Readonly<Record<string, (method: string) => SmallPod>> = {
  "the annotation": (method) => ({ annotations: { "vault-auth-method": method } }),
  "the SvcConfig": (method) => ({ config: { vaultAuthMethod: method } }),
  "the container": (method) => ({
    container: { env: [{ name: "VAULT_AUTH_METHOD", value: method }] },
  }),
};

for (const [place, small] of Object.entries(places)) {
  describe(`if ${place} names the method`, () => {
    for (const [method, { token, needsRole }] of Object.entries(rows)) {
      test(`${method}, the pod has ${token ? "a" : "no"} volume with the account's token`, () => {
        const { volumes = [] } = injectedPodOf(withServerTls(small(method))).spec;
        expect(JSON.stringify(volumes).includes("serviceAccountToken")).toBe(token);
      });

      test(`${method}, a role is ${needsRole ? "needed" : "not needed"}`, () => {
        const decision = decideSmall({ ...withServerTls(small(method)), without: ["vault-role"] });
        const said = JSON.stringify(decision);
        expect(said.includes("vault-role: must be set")).toBe(needsRole);
      });
    }
  });
}

/** A wrapper that waits for a token needs a server with TLS. */
function withServerTls(small: SmallPod): SmallPod {
  const annotations = { ...small.annotations, "broker-tls-secret": "broker" };
  return { ...small, annotations };
}
