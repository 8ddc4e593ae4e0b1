import { describe, expect, test } from "bun:test";
import { clientOf, failure, json, startServer } from "../../test/test-server.ts";
import type { VaultClient } from "../client/vault-client.ts";
import { Secret } from "../values/secret.ts";

const granted = () =>
  json({ auth: { client_token: "hvs.given", lease_duration: 60, renewable: true, policies: [] } });

const jwtLogin = { mountPath: "ci/jwt", role: "app", jwt: new Secret("a.b.c") };
const appRoleLogin = { mountPath: "approle", roleId: new Secret("CANARY-role") };
const secretId = new Secret("CANARY-secret");

interface Row {
  readonly run: (client: VaultClient) => Promise<unknown>;
  readonly target: string;
  readonly body: object;
}

const rows: Readonly<Record<string, Row>> = {
  jwt: {
    run: (client) => client.loginJwt(jwtLogin),
    target: "/v1/auth/ci/jwt/login",
    body: { role: "app", jwt: "a.b.c" },
  },
  "approle with a secret id": {
    run: (client) => client.loginAppRole({ ...appRoleLogin, secretId }),
    target: "/v1/auth/approle/login",
    body: { role_id: "CANARY-role", secret_id: "CANARY-secret" },
  },
  "cert with a role": {
    run: (client) => client.loginCert({ mountPath: "cert", role: "app" }),
    target: "/v1/auth/cert/login",
    body: { name: "app" },
  },
  "cert without a role": {
    run: (client) => client.loginCert({ mountPath: "cert" }),
    target: "/v1/auth/cert/login",
    body: {},
  },
  userpass: {
    run: (client) =>
      client.loginUserpass({ mountPath: "people", username: "a.b", password: secretId }),
    target: "/v1/auth/people/login/a.b",
    body: { password: "CANARY-secret" },
  },
  "approle without a secret id": {
    run: (client) => client.loginAppRole(appRoleLogin),
    target: "/v1/auth/approle/login",
    body: { role_id: "CANARY-role" },
  },
};

describe("a login by", () => {
  for (const [name, { run, target, body }] of Object.entries(rows)) {
    test(`${name} sends its fields to the mount`, async () => {
      using server = startServer(granted);
      expect(await run(clientOf(server))).toMatchObject({ ttlMs: 60_000, renewable: true });
      expect(server.seen.map((request) => request.target)).toEqual([target]);
      expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual(body);
    });
  }

  test.each([
    ["batch", true],
    ["service", false],
    [undefined, false],
  ] as const)(
    "any method says whether a token of type %p is a batch token",
    async (type, isBatch) => {
      const auth = { client_token: "b.1", lease_duration: 60, renewable: false, policies: [] };
      using server = startServer(() => json({ auth: { ...auth, token_type: type } }));
      expect(await rows["jwt"]?.run(clientOf(server))).toMatchObject({ isBatch });
    },
  );

  const { jwt, "approle with a secret id": appRole } = rows;
  /** As OpenBao says it. */
  const refused: readonly (readonly [Row | undefined, number, string, string, string])[] = [
    [jwt, 400, 'role "app" could not be found', "INVALID_ROLE", "VAULT_AUTH_ROLE"],
    [jwt, 400, "error validating token: no known key", "BAD_REQUEST", "audience"],
    [jwt, 403, "permission denied", "DENIED", "VAULT_AUTH_MOUNT_PATH"],
    [appRole, 400, "invalid role or secret ID", "BAD_REQUEST", "VAULT_APPROLE_SECRET_ID_FILE"],
    [appRole, 403, "permission denied", "DENIED", "VAULT_APPROLE_ROLE_ID"],
    [appRole, 404, "no handler for route", "NOT_FOUND", "VAULT_NAMESPACE"],
  ];
  test.each(refused)("%p with %d %s is %s", async (row, status, text, code, hint) => {
    using server = startServer(() => json({ errors: [text] }, status));
    const error = await failure(row?.run(clientOf(server)) ?? Promise.resolve());
    expect<string>(error.code).toBe(code);
    expect(error.hint).toContain(hint);
    expect(error.message).not.toContain("CANARY");
  });
});
