import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { TestPki } from "../../test/test-pki.ts";
import { failure } from "../../test/test-server.ts";
import { loadTls, type TlsPaths } from "./load-tls.ts";

const pki = new TestPki();
afterAll(() => pki[Symbol.dispose]());
const client = pki.issue("client", "DNS:client");
const load = (paths: Partial<TlsPaths>) => loadTls({ skipVerify: false, ...paths });

function file(name: string, text: string): string {
  const path = `${pki.directory}/${name}`;
  writeFileSync(path, text);
  return path;
}

describe("loadTls", () => {
  test("without paths trusts the runtime's authorities", () => {
    expect(load({})).toEqual({ skipVerify: false });
  });

  test("reads every certificate of VAULT_CACERT", () => {
    const bundle = file("bundle.crt", `# two\n${pki.ca.cert}\ntext between\n${client.cert}`);
    expect(load({ caCertPath: bundle }).ca?.map((text) => `${text}\n`)).toEqual([
      pki.ca.cert,
      client.cert,
    ]);
  });

  test("reads the certificates of VAULT_CAPATH, skipping other files", () => {
    const directory = `${pki.directory}/authorities`;
    mkdirSync(`${directory}/..data`, { recursive: true });
    writeFileSync(`${directory}/README`, "text");
    writeFileSync(`${directory}/..data/ca.pem`, pki.ca.cert);
    symlinkSync("..data/ca.pem", `${directory}/ca.pem`);
    expect(load({ caPath: directory }).ca?.length).toBe(1);
  });

  test("takes VAULT_CACERT when both are set", () => {
    expect(load({ caCertPath: pki.ca.certPath, caPath: "/nowhere" }).ca?.length).toBe(1);
  });

  test("reads the client's pair", () => {
    const tls = load({ clientCertPath: client.certPath, clientKeyPath: client.keyPath });
    expect([tls.cert, tls.key?.open([])]).toEqual([client.cert, client.key]);
  });

  const tornKey = "-----BEGIN PRIVATE KEY-----\nMIA=\n-----END PRIVATE KEY-----\n";
  const encrypted =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIA=\n-----END ENCRYPTED PRIVATE KEY-----";
  test.each([
    [
      "a missing file",
      { caCertPath: "/nowhere" },
      'VAULT_CACERT: "/nowhere": cannot be read: ENOENT',
    ],
    ["a directory as file", { caCertPath: "/" }, 'VAULT_CACERT: "/": cannot be read: EISDIR'],
    [
      "a missing directory",
      { caPath: "/nowhere" },
      'VAULT_CAPATH: "/nowhere": cannot be read: ENOENT',
    ],
    ["no certificate", { caCertPath: client.keyPath }, "holds no PEM certificate"],
    [
      "a damaged certificate",
      { caCertPath: file("damaged.pem", pki.ca.cert.replace(/\n.{8}/, "\n")) },
      "certificate 1 is damaged",
    ],
    ["only a certificate", { clientCertPath: "/x" }, "VAULT_CLIENT_KEY: must be set together"],
    ["only a key", { clientKeyPath: "/x" }, "VAULT_CLIENT_CERT: must be set together"],
    [
      "an encrypted key",
      { clientCertPath: client.certPath, clientKeyPath: file("locked.key", encrypted) },
      "is encrypted",
    ],
    [
      "a certificate as key",
      { clientCertPath: client.certPath, clientKeyPath: client.certPath },
      "holds no PEM private key",
    ],
    [
      "a key that cannot be read as one",
      { clientCertPath: client.certPath, clientKeyPath: file("torn.key", tornKey) },
      "holds no private key that can be used, must be RSA of 2048 to 4096 bits, ECDSA over P-256, P-384 or P-521, or Ed25519",
    ],
    [
      "the key of another certificate",
      { clientCertPath: client.certPath, clientKeyPath: pki.ca.keyPath },
      `VAULT_CLIENT_KEY: "${pki.ca.keyPath}": holds the key of another certificate, must be that of VAULT_CLIENT_CERT "${client.certPath}"`,
    ],
  ])("refuses %s by name", async (_what, paths, problem) => {
    const error = await failure(Promise.try(() => load(paths)));
    expect(error.code).toBe("INVALID_INPUT");
    expect(error.message).toContain(problem);
  });

  test("names all problems at once", async () => {
    const paths = { caCertPath: "/a", clientCertPath: "/b", clientKeyPath: "/c" };
    const { message } = await failure(Promise.try(() => load(paths)));
    expect(message).toContain('VAULT_CACERT: "/a"');
    expect(message).toContain('VAULT_CLIENT_CERT: "/b"');
    expect(message).toContain('VAULT_CLIENT_KEY: "/c"');
  });
});
