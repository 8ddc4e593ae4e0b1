import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  canary,
  certificateAuthority,
  freePort,
  mountKv2,
  startOpenBao,
  temporaryFolder,
  writeSecret,
} from "@svc/testing";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const TIMEOUT_MS = 120_000;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe("the vault's certificate and its authority may have keys of", () => {
  for (const curve of ["P-256", "P-384", "P-521"] as const) {
    test(
      curve,
      async () => {
        const authority = await certificateAuthority(`CA with ${curve}`, curve);
        const tls = { ...(await authority.issue()), caPem: authority.certificatePem };
        await using bao = await startOpenBao({ storage: "inmem", tls });
        const password = canary();
        await mountKv2(bao, "secret");
        await writeSecret(bao, "secret/data/app", { password });
        const caPath = join(folder.path, `${curve}.pem`);
        writeFileSync(caPath, authority.certificatePem);
        const { exitCode, stdout, stderr } = await runWrapper({
          program: ["/usr/bin/printenv", "DB_PASSWORD"],
          environment: { ...wrapperEnvironment(bao.address, bao.rootToken), VAULT_CACERT: caPath },
        });
        expect(exitCode, stderr).toBe(0);
        expect(stdout.toString()).toBe(`${password}\n`);
      },
      TIMEOUT_MS,
    );
  }
});

describe("the key of the wrapper's own server may be over", () => {
  for (const curve of ["P-256", "P-384", "P-521"] as const) {
    test(
      curve,
      async () => {
        const authority = await certificateAuthority(`CA with ${curve}`, curve);
        const { certificatePem, keyPem } = await authority.issue();
        const file = (name: string, text: string) => {
          const path = join(folder.path, `${curve}-${name}.pem`);
          writeFileSync(path, text);
          return path;
        };
        const port = freePort();
        await using wrapper = await startWrapper({
          program: ["/bin/true"],
          environment: {
            ...wrapperEnvironment("http://127.0.0.1:1", ""),
            VAULT_AUTH_METHOD: "token",
            HEALTH_ADDR: `127.0.0.1:${port}`,
            SVC_BROKER_TLS_CERT: file("server", certificatePem),
            SVC_BROKER_TLS_KEY: file("key", keyPem),
          },
        });
        // The supervisor leaves the port to an unseal server, which speaks TLS until a token comes.
        await wrapper.says("sealed: waiting for POST /v1/unseal");
        const trusted = ["-CAfile", file("authority", authority.certificatePem)];
        const words = ["-connect", `127.0.0.1:${port}`, "-verify_return_error", ...trusted];
        const client = Bun.spawn(
          ["openssl", "s_client", "-quiet", "-verify_ip", "127.0.0.1", ...words],
          {
            stdin: Buffer.from("GET /healthz HTTP/1.0\r\n\r\n"),
            stdout: "pipe",
            stderr: "pipe",
          },
        );
        const [told, answer] = await Promise.all([client.stderr.text(), client.stdout.text()]);
        expect(answer, told).toContain(" 200 OK");
      },
      TIMEOUT_MS,
    );
  }
});
