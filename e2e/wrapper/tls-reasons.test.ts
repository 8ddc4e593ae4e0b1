import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

// The message of a failed start has the reason of the TLS library, and a hint only if it is right.

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);
const text = (name: string) => readFileSync(at(name), "utf8");

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
openssl(
  "req",
  "-x509",
  ...NEW_KEY,
  "-keyout",
  at("ca.key"),
  "-out",
  at("ca.pem"),
  "-subj",
  "/CN=CA",
);
const forServers = issue("server", []);
const forClients = issue("client", ["-addext", "extendedKeyUsage=clientAuth"]);

describe("the vault", () => {
  test("has a certificate for clients: the reason is named, and nothing about our own", async () => {
    const stderr = await failedStart(forClients);
    expect(stderr).toContain("(its extended key usage does not allow servers)");
    expect(stderr).not.toContain("VAULT_CLIENT_CERT");
  });

  test("demands a client certificate: the hint names the settings", async () => {
    const asks = { ca: text("ca.pem"), requestCert: true, rejectUnauthorized: true };
    const stderr = await failedStart({ ...forServers, ...asks });
    expect(stderr).toContain("alert CertificateRequired");
    expect(stderr).toContain("set VAULT_CLIENT_CERT and VAULT_CLIENT_KEY");
  });
});

async function failedStart(tls: Bun.TLSOptions): Promise<string> {
  await using vault = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls,
    fetch: () => new Response(),
  });
  const address = `https://127.0.0.1:${vault.port}`;
  const { exitCode, stderr } = await runWrapper({
    program: ["/bin/true"],
    environment: { ...wrapperEnvironment(address, "s.token"), VAULT_CACERT: at("ca.pem") },
  });
  expect(exitCode).toBe(125);
  return stderr;
}

function issue(name: string, extensions: readonly string[]) {
  const [key, pem] = [at(`${name}.key`), at(`${name}.pem`)];
  const leaf = ["-addext", "basicConstraints=critical,CA:FALSE"];
  const names = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1"];
  const authority = ["-CA", at("ca.pem"), "-CAkey", at("ca.key")];
  openssl(
    "req",
    "-x509",
    ...authority,
    ...NEW_KEY,
    "-keyout",
    key,
    "-out",
    pem,
    ...names,
    ...leaf,
    ...extensions,
  );
  return { cert: text(`${name}.pem`), key: text(`${name}.key`) };
}

function openssl(...words: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...words]);
  if (exitCode !== 0) throw new Error(`openssl ${words.join(" ")}: ${stderr.toString()}`);
}
