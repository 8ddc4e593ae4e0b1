import { afterAll, describe, expect, test } from "bun:test";
import { closed, openedFields } from "../../test/closed.ts";
import { TestPki } from "../../test/test-pki.ts";
import { clientOf, failure, kv2, startServer } from "../../test/test-server.ts";
import { Secret } from "../values/secret.ts";

const pki = new TestPki();
const otherPki = new TestPki();
afterAll(() => {
  pki[Symbol.dispose]();
  otherPki[Symbol.dispose]();
});

const token = new Secret("hvs.test");
const ref = { path: "secret/data/app" };
const byIp = pki.issue("by-ip", "IP:127.0.0.1");
const byName = pki.issue("by-name", "DNS:vault.internal,DNS:bao.internal");
const expired = pki.issue("expired", "IP:127.0.0.1", -1);
const lonely = pki.selfSigned("lonely", "IP:127.0.0.1");
const client = pki.issue("client", "DNS:client");
const verify = { skipVerify: false, ca: [pki.ca.cert] };
const answer = () => kv2('{"k":"v"}');

describe("a TLS connection succeeds", () => {
  test.each([
    ["to an IP in the certificate", byIp, verify],
    ["with the authority among others", byIp, { ...verify, ca: [otherPki.ca.cert, pki.ca.cert] }],
    ["to an IP by the certificate's name", byName, { ...verify, serverName: "vault.internal" }],
    ["with a trusted self-signed certificate", lonely, { ...verify, ca: [lonely.cert] }],
    ["unverified when told so", lonely, { skipVerify: true }],
  ])("%s", async (_what, server, tls) => {
    using vault = startServer(answer, server);
    const secret = await clientOf(vault, { tls }).readSecret(token, ref);
    expect(openedFields(secret)).toEqual({ k: "v" });
  });

  test("with the client certificate that the server demands", async () => {
    const demanding = { ...byIp, ca: pki.ca.cert, requestCert: true, rejectUnauthorized: true };
    using vault = startServer(answer, demanding);
    const tls = { ...verify, cert: client.cert, key: closed(client.key) };
    expect((await clientOf(vault, { tls }).readSecret(token, ref)).version).toBe(1);
  });

  test("and the server is asked for the overriding name", async () => {
    const asked: string[] = [];
    // Two certificates on one port: only SNI can select the right one.
    const serverName = "vault.internal";
    const listener = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      tls: [
        { cert: byIp.cert, key: byIp.key, serverName: "other.internal" },
        { cert: byName.cert, key: byName.key, serverName },
      ],
      fetch(request) {
        asked.push(new URL(request.url).pathname);
        return answer();
      },
    });
    const address = `https://127.0.0.1:${listener.port}`;
    await clientOf({ address }, { tls: { ...verify, serverName } }).readSecret(token, ref);
    await listener.stop(true);
    expect(asked).toEqual(["/v1/secret/data/app"]);
  });
});

describe("a TLS connection fails", () => {
  test.each([
    ["with an unknown authority", byIp, { ...verify, ca: [otherPki.ca.cert] }, "VAULT_CACERT"],
    [
      "with only the public authorities",
      byIp,
      { skipVerify: false },
      "caBundle of their SvcConfig",
    ],
    ["with a self-signed certificate", lonely, verify, "VAULT_CACERT"],
    ["with an expired certificate", expired, verify, "clock"],
    [
      "with a key of another certificate",
      byIp,
      { ...verify, cert: client.cert, key: closed(byIp.key) },
      "VAULT_CLIENT_KEY",
    ],
  ])("%s, once and with a hint", async (_what, server, tls, hint) => {
    using vault = startServer(answer, server);
    const options = { tls, retry: {} };
    const error = await failure(clientOf(vault, options).readSecret(token, ref));
    expect(error.code).toBe("TLS");
    expect(error.hint).toContain(hint);
    expect(vault.seen).toBeEmpty();
  });

  test("with a name mismatch, naming both sides", async () => {
    using vault = startServer(answer, byName);
    const error = await failure(clientOf(vault, { tls: verify }).readSecret(token, ref));
    expect(error.code).toBe("TLS");
    expect(error.message).toContain(
      'is not for "127.0.0.1", it has DNS:vault.internal, DNS:bao.internal',
    );
    expect(error.hint).toContain("VAULT_TLS_SERVER_NAME");
    expect(vault.seen).toBeEmpty();
  });

  test("when the overriding name is not in the certificate", async () => {
    using vault = startServer(answer, byIp);
    const tls = { ...verify, serverName: "vault.internal" };
    const error = await failure(clientOf(vault, { tls }).readSecret(token, ref));
    expect(error.message).toContain('is not for "vault.internal", it has IP Address:127.0.0.1');
  });

  test("without the client certificate that the server demands", async () => {
    const demanding = { ...byIp, ca: pki.ca.cert, requestCert: true, rejectUnauthorized: true };
    using vault = startServer(answer, demanding);
    const error = await failure(clientOf(vault, { tls: verify }).readSecret(token, ref));
    expect(error.code).toBe("TLS");
    expect(error.hint).toContain("VAULT_CLIENT_CERT");
  });

  test("on a port that speaks plain HTTP, without a token on the wire", async () => {
    using vault = startServer(answer);
    const address = vault.address.replace("http:", "https:");
    const error = await failure(clientOf({ address }, { tls: verify }).readSecret(token, ref));
    expect(error.code).toBe("TLS");
    expect(error.message).toContain("speaks plain HTTP");
    expect(vault.seen.map(({ headers }) => headers.get("x-vault-token"))).toEqual([null]);
  });
});

describe("plain HTTP to a TLS port is reported as such", () => {
  test("when the server resets the connection", async () => {
    using vault = startServer(answer, byIp);
    const address = vault.address.replace("https:", "http:");
    const error = await failure(clientOf({ address }).readSecret(token, ref));
    expect(error.code).toBe("TLS");
    expect(error.message).toContain("speaks TLS");
  });

  test("when the server answers as Go's does", async () => {
    const text = "Client sent an HTTP request to an HTTPS server.\n";
    using vault = startServer(() => new Response(text, { status: 400 }));
    const error = await failure(clientOf(vault).readSecret(token, ref));
    expect(error.code).toBe("TLS");
    expect(error.hint).toContain("https://");
  });
});

describe("verification is not weakened", () => {
  test("by an unverified connection to the same server before", async () => {
    using vault = startServer(answer, lonely);
    await clientOf(vault, { tls: { skipVerify: true } }).readSecret(token, ref);
    const error = await failure(clientOf(vault, { tls: verify }).readSecret(token, ref));
    expect(error.code).toBe("TLS");
  });

  test("by a redirect from https down to http", async () => {
    using plain = startServer(answer);
    const Location = `${plain.address}/v1/secret/data/app`;
    using vault = startServer(
      () => new Response(null, { status: 307, headers: { Location } }),
      byIp,
    );
    const error = await failure(clientOf(vault, { tls: verify }).readSecret(token, ref));
    expect(error.code).toBe("REDIRECT_REFUSED");
    expect(plain.seen).toBeEmpty();
  });

  test("by a redirect to a server without the trusted authority", async () => {
    using stranger = startServer(answer, lonely);
    const Location = `${stranger.address}/v1/secret/data/app`;
    using vault = startServer(
      () => new Response(null, { status: 307, headers: { Location } }),
      byIp,
    );
    const error = await failure(clientOf(vault, { tls: verify }).readSecret(token, ref));
    expect(error.code).toBe("TLS");
    expect(stranger.seen).toBeEmpty();
  });
});
