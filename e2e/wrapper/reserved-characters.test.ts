import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startDevStore } from "@svc/devstore";
import { canary, mountKv2, type OpenBao, startOpenBao, writeSecret } from "@svc/testing";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

// Paths and fields with characters that part lists, or mean something to a URL (decision 0099).

const TIMEOUT_MS = 120_000;
const PATH = "secret/data/a,b;c#d?e*f%g";
const FIELD = "user,name;#%*";
const written = {
  paths: "secret/data/a%2Cb%3Bc%23d%3Fe%2Af%25g",
  field: "user%2Cname%3B%23%25%2A",
};
const password = canary();
let bao: OpenBao | undefined;

beforeAll(async () => {
  bao = await startOpenBao({ storage: "inmem" });
  await mountKv2(bao, "secret");
  await writeSecret(bao, PATH.split("/").map(encodeURIComponent).join("/"), { [FIELD]: password });
}, TIMEOUT_MS);
afterAll(() => bao?.[Symbol.asyncDispose]());

/** OpenBao, and the store of `svc dev`. */
const vaults = {
  OpenBao: async () => ({ address: bao?.address ?? "", token: bao?.rootToken ?? "" }),
  "svc dev": async () => store,
};
const store = startDevStore({ token: canary(), secrets: { [PATH]: { [FIELD]: password } } });
afterAll(() => store.stop());

const forms = {
  "SVC_SECRET_PATHS and SVC_ENV_MAP": {
    words: [],
    environment: {
      SVC_SECRET_PATHS: `${written.paths}#1`,
      SVC_ENV_MAP: `${written.field}=DB_PASSWORD`,
    },
  },
  "--secrets": {
    words: [`--secrets=DB_PASSWORD=${written.paths}#${written.field}`],
    environment: { SVC_SECRET_PATHS: "", SVC_ENV_MAP: "" },
  },
};

for (const [vault, source] of Object.entries(vaults)) {
  describe(`${vault} gives a secret whose path and field are percent-encoded in`, () => {
    for (const [form, { words, environment }] of Object.entries(forms)) {
      test(
        form,
        async () => {
          const { address, token } = await source();
          const { exitCode, stdout, stderr } = await runWrapper({
            flags: words,
            program: ["/usr/bin/printenv", "DB_PASSWORD"],
            environment: { ...wrapperEnvironment(address, token), ...environment },
          });
          expect(exitCode, stderr).toBe(0);
          expect(stdout.toString()).toBe(`${password}\n`);
        },
        TIMEOUT_MS,
      );
    }
  });
}
