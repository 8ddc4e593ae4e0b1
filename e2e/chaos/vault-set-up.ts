import {
  type BaoTarget,
  canary,
  enableKubernetesAuth,
  makeToken,
  mountKv2,
  writeKubernetesRole,
  writePolicy,
} from "@svc/testing";

/** The path of the secret, and the role that may read it. */
export const secretPath = "kv/data/app";
export const roleName = "app";

/** A vault that a fleet can be let in to. */
export interface VaultSetUp extends AsyncDisposable {
  readonly jwt: string;
  /** Makes a token that has to be renewed. */
  readonly token: () => Promise<string>;
}

export interface SetUpOptions {
  /** The life of the tokens of kubernetes logins, in seconds. */
  readonly loginTtlS: number;
  readonly loginMaxTtlS: number;
}

/** Long enough for a renewal under the worst faults: the test has no second static token. */
const STATIC_PERIOD = "40s";

/** Mounts, policy, role and login for the secret; its first value is the caller's to write. */
export async function setUpVault(
  target: BaoTarget,
  { loginTtlS, loginMaxTtlS }: SetUpOptions,
): Promise<VaultSetUp> {
  await mountKv2(target, "kv");
  await writePolicy(target, "app", [
    { path: secretPath, capabilities: ["read"] },
    { path: "kv/metadata/app", capabilities: ["read"] },
  ]);
  const account = { name: "app", namespace: "shop", uid: canary(), audiences: ["vault"] };
  const auth = await enableKubernetesAuth(target, account);
  await writeKubernetesRole(target, roleName, {
    bound_service_account_names: account.name,
    bound_service_account_namespaces: account.namespace,
    token_policies: "app",
    token_ttl: `${loginTtlS}s`,
    token_max_ttl: `${loginMaxTtlS}s`,
  });
  return {
    jwt: auth.jwt,
    token: () => makeToken(target, { policies: ["app"], period: STATIC_PERIOD }),
    [Symbol.asyncDispose]: auth.stop,
  };
}
