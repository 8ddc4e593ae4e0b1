import { afterAll, expect, test } from "bun:test";
import { createPrivateKey } from "node:crypto";
import { startDevStore } from "@svc/devstore";
import { canary, certificateAuthority } from "@svc/testing";
import { memoryOf } from "../harness/processes/leak-search.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { libraryVariant } from "../harness/programs/program-variants.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const password = canary();
const { certificatePem, keyPem } = await (await certificateAuthority()).issue();
const fields = {
  DB_PASSWORD: password,
  URL: `postgres://app:${password}@db.example/app`,
  ENCODED: Buffer.from(password).toString("base64"),
  CERTIFICATE: certificatePem,
  KEY: keyPem,
};
const store = startDevStore({ secrets: { "secret/data/app": fields } });
afterAll(() => store.stop());
expectNothingLeft();
const environment = {
  ...wrapperEnvironment(store.address, store.token),
  SVC_ENV_MAP: "*=*",
  SVC_DELIVERY: "library",
};

const xored = (mask: number) => Buffer.from(password).map((byte) => byte ^ mask);

/** Texts by which a secret is found. */
const forms = {
  "as it is": [Buffer.from(password)],
  // RFC 2104: the two forms of a key under 64 bytes.
  "in an HMAC's pads": [xored(0x36), xored(0x5c)],
  // FIPS 197: the first round keys of AES-256 are the key itself.
  "its first 32 bytes": [Buffer.from(password.slice(0, 32))],
  "as a key's numbers": [scalarOf(keyPem), Buffer.from(scalarOf(keyPem)).reverse()],
} as const;

/** The forms that a search finds after each use. docs/guides/go.md has this table. */
const rows: Readonly<Record<string, readonly (keyof typeof forms)[]>> = {
  nothing: [],
  compare: [],
  hash: [],
  cut: [],
  write: [],
  "parse-url": [],
  "sql-open": [],
  compose: ["as it is", "its first 32 bytes"],
  convert: ["as it is", "its first 32 bytes"],
  format: ["as it is", "its first 32 bytes"],
  base64: ["as it is", "its first 32 bytes"],
  "http-header": ["as it is", "its first 32 bytes"],
  hmac: ["in an HMAC's pads"],
  aes: ["its first 32 bytes"],
  "key-pair": ["as a key's numbers"],
};

for (const [use, expected] of Object.entries(rows)) {
  test.concurrent(`${use} leaves in the heap: ${expected.join(", ") || "nothing"}`, async () => {
    await using wrapper = await startWrapper({
      program: [libraryVariant(), "use", use],
      environment,
    });
    await wrapper.prints("used\n");
    const [pid = 0] = childrenOf(wrapper.pid);
    const memory = [...memoryOf(pid)];
    const found = Object.entries(forms)
      .filter(([, texts]) => texts.some((text) => memory.some((run) => run.includes(text))))
      .map(([form]) => form);
    expect<readonly string[]>(found).toEqual(expected);
  });
}

/** The secret number of an elliptic curve's private key. */
function scalarOf(pem: string): Buffer {
  const { d = "" } = createPrivateKey(pem).export({ format: "jwk" });
  return Buffer.from(d, "base64url");
}
