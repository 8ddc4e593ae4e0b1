import { describe, expect, test } from "bun:test";
import { clientOf, failure, json, startServer } from "../../test/test-server.ts";
import { Secret } from "../values/secret.ts";

const jwt = new Secret("header.payload.signature");
const login = { mountPath: "kubernetes", role: "app", jwt };
const granted = () =>
  json({
    auth: {
      client_token: "hvs.given",
      lease_duration: 3600,
      renewable: true,
      policies: ["default", "app"],
    },
  });

describe("loginKubernetes", () => {
  test("sends role and JWT to the mount and gives the token", async () => {
    using server = startServer(granted);
    const result = await clientOf(server).loginKubernetes({ ...login, mountPath: "team/k8s" });
    expect(server.seen[0]?.method).toBe("POST");
    expect(server.seen[0]?.target).toBe("/v1/auth/team/k8s/login");
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({
      role: "app",
      jwt: "header.payload.signature",
    });
    expect(result.token.bytes.open([])).toBe("hvs.given");
    expect(result).toMatchObject({
      ttlMs: 3_600_000,
      renewable: true,
      policies: ["default", "app"],
    });
  });

  test.each([
    [400, 'invalid role name "app"', "INVALID_ROLE", "VAULT_AUTH_ROLE"],
    [403, "service account name not authorized", "DENIED", "audience"],
    [404, 'no handler for route "auth/kubernetes/login"', "NOT_FOUND", "VAULT_AUTH_MOUNT_PATH"],
    [500, "could not load backend configuration", "SERVER_ERROR", "auth/<mount>/config"],
    [400, "missing jwt", "BAD_REQUEST", "check"],
  ])("%d %s is %s", async (status, text, code, hint) => {
    using server = startServer(() => json({ errors: [text] }, status));
    const error = await failure(clientOf(server).loginKubernetes(login));
    expect<string>(error.code).toBe(code);
    expect(error.hint).toContain(hint);
    expect(error.message).toContain(text);
  });

  test.each([
    ["no auth", {}],
    ["a token that is wanting, as with a second factor", { auth: { client_token: "" } }],
    ["a token that would end a header line", { auth: { client_token: "a\r\nb" } }],
  ])("refuses an answer with %s", async (_what, body) => {
    using server = startServer(() => json(body));
    const error = await failure(clientOf(server).loginKubernetes(login));
    expect(error.code).toBe("BAD_RESPONSE");
  });

  test("takes a 403 of a standby node for passing when told how long", async () => {
    let tries = 0;
    using server = startServer(() => (++tries < 3 ? json({ errors: [] }, 403) : granted()));
    const client = clientOf(server, { retry: {}, sleep: () => Promise.resolve() });
    await client.loginKubernetes({ ...login, retryDeniedForMs: 60_000 });
    expect(tries).toBe(3);
  });

  test("takes a 403 for final when not told so", async () => {
    using server = startServer(() => json({ errors: [] }, 403));
    const client = clientOf(server, { retry: {}, sleep: () => Promise.resolve() });
    expect((await failure(client.loginKubernetes(login))).code).toBe("DENIED");
    expect(server.seen.length).toBe(1);
  });
});
