import { expect, test } from "bun:test";
import { least, settingsOf } from "../settings/testdata/least-environment.ts";
import { loadFiles } from "./load-files.ts";

const one = { ...least, BOOTSTRAP_SHAMIR_SHARES: "1", BOOTSTRAP_SHAMIR_THRESHOLD: "1" };
const failing = async (environment: Readonly<Record<string, string>>) =>
  loadFiles(settingsOf({ ...one, ...environment })).catch((error: unknown) => error);

test("a PGP key that is not there is said with its own hint", async () => {
  expect(await failing({ BOOTSTRAP_PGP_KEYS: "/absent.asc" })).toMatchObject({
    code: "PGP_KEY_UNUSABLE",
    message: 'read the PGP keys: "/absent.asc" cannot be read (ENOENT)',
  });
});

test("every file that cannot be used is named at once", async () => {
  const error = await failing({ BOOTSTRAP_PGP_KEYS: "/absent.asc", VAULT_CACERT: "/absent.pem" });
  expect(error).toMatchObject({ code: "FILES_UNUSABLE" });
  expect(String(error)).toContain("/absent.pem");
  expect(String(error)).toContain("/absent.asc");
});

test("without files nothing is encrypted", async () => {
  const { encryption } = await loadFiles(settingsOf(least));
  expect(encryption).toMatchObject({ ciphers: {}, pgp: {} });
});
