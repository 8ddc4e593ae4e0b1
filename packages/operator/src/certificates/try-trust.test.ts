import { afterAll, expect, test } from "bun:test";
import { certificateAuthority, freePort } from "@svc/testing";
import { tryTrust } from "./try-trust.ts";

const servername = "svc-operator.svc-system.svc";
const authority = await certificateAuthority("svc test CA");
const other = await certificateAuthority("svc test other CA");
const own = await authority.issue({ names: [servername] });
const past = await authority.issue({ names: [servername], expiresMs: Date.now() - 60_000 });
const elsewhere = await authority.issue({ names: ["elsewhere.test"] });
const servers = [own, elsewhere, past].map(({ certificatePem: cert, keyPem: key }) =>
  Bun.serve({ hostname: "127.0.0.1", port: 0, tls: { cert, key }, fetch: () => new Response("") }),
);
afterAll(() => Promise.all(servers.map((server) => server.stop(true))));
const [right, wrong, expired] = servers.map(({ port }) => port ?? 0);

const rows = [
  ["the authority of the certificate", right, authority.certificatePem, "trusted"],
  ["it, and another one", right, other.certificatePem + authority.certificatePem, "trusted"],
  ["another authority", right, other.certificatePem, "refused"],
  ["it, for a certificate with another name", wrong, authority.certificatePem, "refused"],
  ["it, for a certificate that has expired", expired, authority.certificatePem, "refused"],
] as const;

for (const [name, port, bundle, kind] of rows) {
  test(`a client that trusts ${name}: ${kind}`, async () => {
    const trust = await tryTrust({ host: "127.0.0.1", port: port ?? 0, servername, bundle });
    expect(trust).toMatchObject({ kind });
  });
}

test("a port on which nothing listens says nothing about trust", async () => {
  const bundle = authority.certificatePem;
  const client = { host: "127.0.0.1", port: freePort(), servername, bundle };
  expect(await tryTrust(client)).toMatchObject({ kind: "unknown" });
});
