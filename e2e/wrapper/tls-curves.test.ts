import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  canary,
  certificateAuthority,
  mountKv2,
  startOpenBao,
  temporaryFolder,
  writeSecret,
} from "@svc/testing";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

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
