import type { PolicyRule } from "@svc/devstore";

/** The policies that both servers have. */
export const POLICIES: Readonly<Record<string, readonly PolicyRule[]>> = {
  app: [
    { path: "secret/data/app/*", capabilities: ["read"] },
    { path: "secret/data/app/denied", capabilities: ["deny"] },
    { path: "secret/data/+/shared", capabilities: ["read", "update"] },
    { path: "secret/data/team/+/key", capabilities: ["read"] },
    { path: "secret/data/exact", capabilities: ["create", "read"] },
    { path: "secret/metadata/app", capabilities: ["list"] },
  ],
  "app-shared-denied": [{ path: "secret/data/+/shared", capabilities: ["deny"] }],
  writer: [{ path: "secret/data/writer/*", capabilities: ["update"] }],
  maker: [{ path: "auth/token/create", capabilities: ["update"] }],
};

/** The service account that the JWT stands for. */
export const ACCOUNT = {
  name: "app",
  namespace: "shop",
  uid: "5d1a2c8e-0000-4000-8000-000000000001",
  audiences: ["https://kubernetes.default.svc"],
} as const;

/** A role of the kubernetes login, in units that both servers' set-up can be made from. */
export interface FixtureRole {
  readonly names: readonly string[];
  readonly namespaces: readonly string[];
  readonly audience?: string;
  readonly ttlSeconds?: number;
  readonly maxTtlSeconds?: number;
}

/** The roles that both servers have; each gives the policy `app`. */
export const ROLES: Readonly<Record<string, FixtureRole>> = {
  app: { names: ["app"], namespaces: ["shop"], ttlSeconds: 3600, maxTtlSeconds: 7200 },
  "right-audience": {
    names: ["app"],
    namespaces: ["shop"],
    audience: "https://kubernetes.default.svc",
  },
  "wrong-audience": { names: ["app"], namespaces: ["shop"], audience: "someone-else" },
  "other-name": { names: ["other"], namespaces: ["shop"] },
  "other-namespace": { names: ["app"], namespaces: ["other"] },
  anyone: { names: ["*"], namespaces: ["*"] },
};
