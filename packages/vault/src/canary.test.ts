import { afterAll, describe, expect, test } from "bun:test";
import { inspect } from "node:util";
import { TestPki } from "../test/test-pki.ts";
import { clientOf, failure, json, kv2, startRawServer, startServer } from "../test/test-server.ts";
import { Secret } from "./secret.ts";
import type { VaultClient } from "./vault-client.ts";
import { VaultError } from "./vault-error.ts";

const TOKEN = "hvs.CANARY-token";
const JWT = "CANARY.jwt.CANARY";
const VALUE = "CANARY-value";
const token = new Secret(TOKEN);
const pki = new TestPki();
afterAll(() => pki[Symbol.dispose]());
const certificate = pki.selfSigned("lonely", "IP:127.0.0.1");

/** Everything a logger could print of an error, causes included. */
function everythingShown(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const properties = Object.entries(Object.getOwnPropertyDescriptors(error));
  return [
    ...[error.message, error.stack, String(error), JSON.stringify(error), Bun.inspect(error)],
    inspect(error, { depth: 9, showHidden: true }),
    ...properties.map(([name, { value }]) => `${name}=${inspect(value)}`),
    everythingShown(error.cause ?? ""),
  ].join("\n");
}

const operations: readonly [string, (client: VaultClient) => Promise<unknown>][] = [
  [
    "login",
    (client) => client.loginKubernetes({ mountPath: "k", role: "r", jwt: new Secret(JWT) }),
  ],
  ["lookup", (client) => client.lookupSelf(token)],
  ["renew", (client) => client.renewSelf(token, 1000)],
  ["lease", (client) => client.renewLease(token, "lease", 1000)],
  ["read", (client) => client.readSecret(token, { path: "secret/data/app" })],
  ["metadata", (client) => client.readMetadata(token, "secret/data/app")],
];

const HEAD = "HTTP/1.1 200 OK\r\n";
const halfPair = `{"data":{"data":{"a":"${VALUE}\\ud800"},"metadata":{"version":1,"created_time":""}}}`;
const everything = `${TOKEN} ${JWT} ${VALUE}`;
const servers: readonly [string, () => ReturnType<typeof startServer>][] = [
  [
    "echoes what it was sent",
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
  ["answers with another shape", () => startServer(() => json({ data: [VALUE], auth: VALUE }))],
  [
    "answers with wrong types",
    () =>
      startServer(() =>
        json({
          data: { ttl: VALUE, versions: VALUE },
          auth: { client_token: `a b ${TOKEN}` },
          lease_id: VALUE,
          lease_duration: VALUE,
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
      const client = clientOf(server, { maxResponseBytes: 50_000, requestTimeoutMs: 200 });
      const error = await failure(run(client));
      expect(error).toBeInstanceOf(VaultError);
      expect(everythingShown(error)).not.toContain("CANARY");
    });
  }

  test.each(operations)("of %s when nobody listens", async (_name, run) => {
    const error = await failure(run(clientOf({ address: "http://127.0.0.1:1" })));
    expect(everythingShown(error)).not.toContain("CANARY");
  });
});

test("what a login gave shows no token", async () => {
  const auth = { client_token: TOKEN, lease_duration: 1, renewable: true };
  using server = startServer(() => json({ auth }));
  const login = { mountPath: "k", role: "r", jwt: new Secret(JWT) };
  const result = await clientOf(server).loginKubernetes(login);
  expect(JSON.stringify(result) + Bun.inspect(result) + inspect(result)).not.toContain("CANARY");
});
