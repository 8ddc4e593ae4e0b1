import { type KubernetesRole, startDevStore } from "@svc/devstore";
import { serviceAccountJwt } from "@svc/testing";
import { ACCOUNT, type FixtureRole, POLICIES, ROLES } from "./fixture.ts";
import type { ContractServer } from "./server.ts";

/** The development store, set up with the fixture through its options. */
export async function launchDevStore(): Promise<ContractServer> {
  const jwt = serviceAccountJwt(ACCOUNT);
  const roles = Object.entries(ROLES).map(([name, role]) => [name, kubernetesRole(role)] as const);
  const store = startDevStore({
    secrets: {},
    policies: POLICIES,
    kubernetes: {
      jwt,
      serviceAccount: ACCOUNT,
      audiences: ACCOUNT.audiences,
      roles: Object.fromEntries(roles),
    },
    leased: { short: { data: { user: "me" }, ttlMs: 600_000, renewable: false } },
  });
  return {
    address: store.address,
    rootToken: store.token,
    unsealKey: store.unsealKey,
    jwt,
    leased: { method: "GET", path: "dev-lease/short" },
    stop: store.stop,
  };
}

function kubernetesRole(role: FixtureRole): KubernetesRole {
  return {
    boundServiceAccountNames: role.names,
    boundServiceAccountNamespaces: role.namespaces,
    policies: ["app"],
    ...(role.audience === undefined ? {} : { audience: role.audience }),
    ...(role.ttlSeconds === undefined ? {} : { ttlMs: role.ttlSeconds * 1000 }),
    ...(role.maxTtlSeconds === undefined ? {} : { maxTtlMs: role.maxTtlSeconds * 1000 }),
  };
}
