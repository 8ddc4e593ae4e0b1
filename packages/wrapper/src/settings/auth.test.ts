import { describe, expect, test } from "bun:test";
import {
  type Environment,
  type Extras,
  least,
  messagesOf,
  settingsOf,
} from "./testdata/least-environment.ts";

describe("login", () => {
  const kubernetes = { method: "kubernetes", role: "app" };
  const certificate = { VAULT_CLIENT_CERT: "/c.pem", VAULT_CLIENT_KEY: "/k.pem" };
  const userpass = {
    VAULT_USERPASS_USERNAME: "ann",
    VAULT_USERPASS_PASSWORD_FILE: "/run/password",
  };
  const appRole = { VAULT_AUTH_METHOD: "approle", VAULT_APPROLE_ROLE_ID: "r-1" };
  const rows: readonly (readonly [
    name: string,
    environment: Environment,
    extras: Extras,
    auth: object,
  ])[] = [
    ["is by kubernetes if nothing is said", {}, {}, kubernetes],
    [
      "with VAULT_TOKEN is by token",
      {},
      { tokenPresent: true },
      { method: "token", source: { kind: "environment" } },
    ],
    [
      "with VAULT_TOKEN is by token though the method says kubernetes",
      { VAULT_AUTH_METHOD: "kubernetes" },
      { tokenPresent: true },
      { method: "token", source: { kind: "environment" } },
    ],
    [
      "with VAULT_TOKEN_FILE is by token",
      { VAULT_TOKEN_FILE: "/run/token" },
      {},
      { method: "token", source: { kind: "file", path: "/run/token" } },
    ],
    [
      "takes VAULT_TOKEN before VAULT_TOKEN_FILE",
      { VAULT_TOKEN_FILE: "/run/token" },
      { tokenPresent: true },
      { method: "token", source: { kind: "environment" } },
    ],
    [
      "takes the flag before VAULT_TOKEN",
      {},
      { tokenPresent: true, flags: ["--vault-token-file", "/run/token"] },
      { method: "token", source: { kind: "file", path: "/run/token" } },
    ],
    [
      "takes the JWT from SVC_AUTH_JWT_PATH",
      { SVC_AUTH_JWT_PATH: "/run/jwt" },
      {},
      { ...kubernetes, jwt: { kind: "file", path: "/run/jwt" } },
    ],
    [
      "takes the JWT from the agent's socket",
      { SVC_AUTH_JWT_PATH: "unix:///opt/svc/login.sock" },
      {},
      { ...kubernetes, jwt: { kind: "agent", path: "/opt/svc/login.sock" } },
    ],
    ...["kubernetes", "auth/kubernetes", "/auth/kubernetes/", "kubernetes/"].map(
      (path) =>
        [
          `takes the mount path ${path} as kubernetes`,
          { VAULT_AUTH_MOUNT_PATH: path },
          {},
          { ...kubernetes, mountPath: "kubernetes" },
        ] as const,
    ),
    [
      "keeps a mount path of several segments",
      { VAULT_AUTH_MOUNT_PATH: "auth/team/k8s" },
      {},
      { ...kubernetes, mountPath: "team/k8s" },
    ],
    [
      "takes the mount path jwt for the method jwt",
      { VAULT_AUTH_METHOD: "jwt" },
      {},
      { method: "jwt", role: "app", mountPath: "jwt" },
    ],
    [
      "by jwt takes the JWT from the agent's socket, too",
      {
        VAULT_AUTH_METHOD: "jwt",
        VAULT_AUTH_MOUNT_PATH: "auth/ci",
        SVC_AUTH_JWT_PATH: "unix:///opt/svc/login.sock",
      },
      {},
      { method: "jwt", mountPath: "ci", jwt: { kind: "agent", path: "/opt/svc/login.sock" } },
    ],
    [
      "by approle takes the role id and the file of the secret id",
      { ...appRole, VAULT_APPROLE_SECRET_ID_FILE: "/run/secret-id" },
      {},
      { method: "approle", roleId: "r-1", mountPath: "approle", secretIdPath: "/run/secret-id" },
    ],
    [
      "by approle takes another mount path",
      { ...appRole, VAULT_AUTH_MOUNT_PATH: "auth/machines/" },
      {},
      { method: "approle", mountPath: "machines" },
    ],
    [
      "by cert takes a role",
      { VAULT_AUTH_METHOD: "cert", ...certificate },
      {},
      { method: "cert", mountPath: "cert", role: "app" },
    ],
    [
      "by userpass takes a name and the file of a password",
      { VAULT_AUTH_METHOD: "userpass", ...userpass, VAULT_AUTH_MOUNT_PATH: "auth/people" },
      {},
      { method: "userpass", mountPath: "people", username: "ann", passwordPath: "/run/password" },
    ],
    [
      "with VAULT_TOKEN is by token though the method says approle",
      appRole,
      { tokenPresent: true },
      { method: "token", source: { kind: "environment" } },
    ],
  ];
  for (const [name, environment, extras, auth] of rows) {
    test(name, () => {
      expect(settingsOf({ ...least, ...environment }, extras).vault?.auth).toMatchObject(auth);
    });
  }

  test("by approle needs no secret id", () => {
    const { vault } = settingsOf({ ...least, ...appRole });
    expect(vault?.auth).toEqual({ method: "approle", roleId: "r-1", mountPath: "approle" });
  });

  test("with a token needs no role", () => {
    const { VAULT_AUTH_ROLE: _, ...without } = least;
    expect(messagesOf(without, { tokenPresent: true })).toEqual([]);
  });
});
