import { afterAll, describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { everythingShown } from "../test/everything-shown.ts";
import { TestPki } from "../test/test-pki.ts";
import {
  adminOf,
  clientOf,
  failure,
  json,
  kv2,
  startRawServer,
  startServer,
} from "../test/test-server.ts";
import type { VaultAdministration } from "./admin/vault-administration.ts";
import type { VaultClient } from "./client/vault-client.ts";
import { VaultError } from "./errors/vault-error.ts";
import { Secret } from "./values/secret.ts";

const TOKEN = "hvs.CANARY-token";
const JWT = "CANARY.jwt.CANARY";
const VALUE = "CANARY-value";
const SHARE = "CANARY+share/CANARY==";
const token = new Secret(TOKEN);
const pki = new TestPki();
afterAll(() => pki[Symbol.dispose]());
const certificate = pki.selfSigned("lonely", "IP:127.0.0.1");

const share = new Secret(SHARE);
const fields = { token_reviewer_jwt: new Secret(JWT) };

const operations: readonly [
  string,
  (client: VaultClient, administration: VaultAdministration) => Promise<unknown>,
][] = [
  [
    "login",
    (client) => client.loginKubernetes({ mountPath: "k", role: "r", jwt: new Secret(JWT) }),
  ],
  [
    "login by jwt",
    (client) => client.loginJwt({ mountPath: "j", role: "r", jwt: new Secret(JWT) }),
  ],
  [
    "login by approle",
    (client) =>
      client.loginAppRole({ mountPath: "a", roleId: new Secret(JWT), secretId: new Secret(SHARE) }),
  ],
  ["lookup", (client) => client.lookupSelf(token)],
  ["renew", (client) => client.renewSelf(token, 1000)],
  ["lease", (client) => client.renewLease(token, "lease", 1000)],
  ["read", (client) => client.readSecret(token, { path: "secret/data/app" })],
  ["metadata", (client) => client.readMetadata(token, "secret/data/app")],
  ["init", (_, administration) => administration.initialise({ shares: 5, threshold: 3 })],
  ["unseal", (_, administration) => administration.unseal(share)],
  ["reset", (_, administration) => administration.resetUnseal()],
  ["seal status", (_, administration) => administration.nodeState()],
  ["a write", (_, administration) => administration.write({ token, path: "a/b", fields })],
  ["revocation", (_, administration) => administration.revokeSelf(token)],
];

const HEAD = "HTTP/1.1 200 OK\r\n";
const halfPair = `{"data":{"data":{"a":"${VALUE}\\ud800"},"metadata":{"version":1,"created_time":""}}}`;
const everything = `${TOKEN} ${JWT} ${VALUE} ${SHARE}`;
const servers: readonly [string, () => ReturnType<typeof startServer>][] = [
  [
    "echoes the request",
    () =>
      startServer(({ headers, body }) =>
        json({ errors: [`bad token ${headers.get("x-vault-token")}, body ${body}`] }, 403),
      ),
  ],
  [
    "fails with values in its page",
    () => startServer(() => new Response(everything, { status: 500 })),
  ],
  ["answers with broken JSON", () => startServer(() => new Response(`{"data":{"k": ${VALUE}}}`))],
  [
    "answers with another shape",
    () =>
      startServer(() =>
        json({ data: [VALUE], auth: VALUE, keys_base64: SHARE, root_token: [TOKEN] }),
      ),
  ],
  [
    "answers with wrong types",
    () =>
      startServer(() =>
        json({
          data: { ttl: VALUE, versions: VALUE },
          auth: { client_token: `a b ${TOKEN}` },
          lease_id: VALUE,
          lease_duration: VALUE,
          keys_base64: ["CANARY share"],
          root_token: `a b ${TOKEN}`,
          sealed: SHARE,
        }),
      ),
  ],
  ["answers with half a pair in a field", () => startServer(() => new Response(halfPair))],
  [
    "answers with bytes that are not UTF-8",
    () => startServer(() => new Response(Buffer.concat([Buffer.from(VALUE), Buffer.from([0xff])]))),
  ],
  [
    "breaks off in the middle",
    () => startRawServer(`${HEAD}Content-Length: 999\r\n\r\n{"data":"${VALUE}`, true),
  ],
  ["answers without end", () => startRawServer(`${HEAD}\r\n${VALUE.repeat(9000)}`, false)],
  ["speaks no HTTP", () => startRawServer(`${VALUE}\r\n\r\n`, true)],
  [
    "redirects to credentials",
    () =>
      startServer(
        () => new Response(null, { status: 307, headers: { Location: `http://x:${VALUE}@y/` } }),
      ),
  ],
  [
    "redirects in a loop",
    () =>
      startServer(
        ({ target }) => new Response(null, { status: 307, headers: { Location: target } }),
      ),
  ],
  ["has an untrusted certificate", () => startServer(() => kv2("{}"), certificate)],
];

describe("no token, JWT or value is shown by the error", () => {
  for (const [behaviour, start] of servers) {
    test.each(operations)(`of %s when the server ${behaviour}`, async (_name, run) => {
      using server = start();
      const options = { maxResponseBytes: 50_000, requestTimeoutMs: 200 };
      const [client, administration] = [clientOf(server, options), adminOf(server, options)];
      const outcome = await run(client, administration).catch((error: unknown) => error);
      expect(everythingShown(outcome)).not.toContain("CANARY");
      // A write succeeds by its status alone.
      if (outcome !== undefined) expect(outcome).toBeInstanceOf(VaultError);
    });
  }

  test.each(operations)("of %s without a server", async (_name, run) => {
    const nobody = { address: "http://127.0.0.1:1" };
    const error = await failure(run(clientOf(nobody), adminOf(nobody)));
    expect(everythingShown(error)).not.toContain("CANARY");
  });
});

test("the result of an initialisation shows no share and no root token", async () => {
  using server = startServer(() => json({ keys_base64: [SHARE], root_token: TOKEN }));
  const result = await adminOf(server).initialise({ shares: 1, threshold: 1 });
  expect(JSON.stringify(result) + Bun.inspect(result) + inspect(result)).not.toContain("CANARY");
  expect(result.shares.map(({ byteLength }) => byteLength)).toEqual([SHARE.length]);
});

test("the result of a login shows no token", async () => {
  const auth = { client_token: TOKEN, lease_duration: 1, renewable: true };
  using server = startServer(() => json({ auth }));
  const login = { mountPath: "k", role: "r", jwt: new Secret(JWT) };
  const result = await clientOf(server).loginKubernetes(login);
  expect(JSON.stringify(result) + Bun.inspect(result) + inspect(result)).not.toContain("CANARY");
});
