import type { DevStoreOptions } from "@svc/devstore";

/** A store's settings for logins of the role `app` with this JWT, with the given life of tokens. */
export function kubernetesLogins(
  jwt: string,
  life: { readonly ttlMs: number; readonly maxTtlMs?: number },
): Pick<DevStoreOptions, "policies" | "kubernetes"> {
  const role = {
    boundServiceAccountNames: ["app"],
    boundServiceAccountNamespaces: ["shop"],
    policies: ["app"],
    ...life,
  };
  return {
    policies: { app: [{ path: "secret/+/app", capabilities: ["read"] }] },
    kubernetes: {
      jwt,
      serviceAccount: { name: "app", namespace: "shop" },
      roles: { app: role },
    },
  };
}
