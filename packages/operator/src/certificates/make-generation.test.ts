import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { canary, temporaryFolder } from "@svc/testing";
import { KeyPem, revealKey } from "./key-pem.ts";
import { makeGeneration } from "./make-generation.ts";
import { checkPair, isFor, parseAuthorities, parseGeneration } from "./parse-generation.ts";

const DAY_MS = 86_400_000;
const names = ["svc-operator.svc-system.svc", "svc-operator.svc-system.svc.cluster.local"];
const wanted = { names, lifeMs: DAY_MS, nowMs: Date.now() };
const made = await makeGeneration(wanted);
const other = await makeGeneration(wanted);

test("a new generation is read again as one", () => {
  const parsed = parseGeneration(made);
  if (!parsed.ok) throw new TypeError(parsed.problem);
  const { value } = parsed;
  expect(value.names).toEqual(names);
  expect(Math.abs(value.expiresMs - wanted.nowMs - DAY_MS)).toBeLessThan(1000);
  expect(value.authority.isOwn).toBe(true);
  expect(value.certificatePem.length + revealKey(value.key).length).toBeLessThan(1500);
});

describe("OpenSSL, as strictly as it can, takes it", () => {
  const rows = [
    ["now", wanted],
    ["beyond 2049", { ...wanted, lifeMs: 30 * 365 * DAY_MS }],
    [
      "with names of many lengths",
      { ...wanted, names: ["a", "b".repeat(63), `${"c.".repeat(100)}d`] },
    ],
  ] as const;
  for (const [name, given] of rows) {
    test(name, async () => {
      using folder = temporaryFolder();
      const at = (file: string) => join(folder.path, file);
      const { authorityPem, certificatePem } = await makeGeneration(given);
      await Bun.write(at("ca.crt"), authorityPem);
      await Bun.write(at("tls.crt"), certificatePem);
      const words = ["-x509_strict", "-purpose", "sslserver", "-verify_hostname", given.names[0]];
      const child = Bun.spawn(
        ["openssl", "verify", ...words, "-CAfile", at("ca.crt"), at("tls.crt")],
        {
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      expect(await child.stdout.text()).toEndWith("tls.crt: OK\n");
    });
  }
});

test("each generation has its own authority, which verifies nothing else", () => {
  const mixed = parseGeneration({ ...made, authorityPem: other.authorityPem });
  expect(mixed).toEqual({ ok: false, problem: "the certificate is not signed by the authority" });
});

describe("texts that do not belong together are refused:", () => {
  const broken = made.certificatePem.replace(/\n.*\n/, "\n");
  const rows = [
    ["no certificate", { ...made, certificatePem: "" }, "the certificate is not one in PEM"],
    ["a broken one", { ...made, certificatePem: broken }, "the certificate is not one in PEM"],
    ["no key", { ...made, key: new KeyPem(canary()) }, "the private key is not one in PEM"],
    ["another's key", { ...made, key: other.key }, "the private key is another certificate's"],
    [
      "no authority",
      { ...made, authorityPem: "" },
      "the authority's certificate is not one in PEM",
    ],
    [
      "an invalid authority",
      { ...made, authorityPem: made.certificatePem },
      "the authority's certificate is not one of an authority",
    ],
  ] as const;
  for (const [name, pems, problem] of rows) {
    test(name, () => expect(parseGeneration(pems)).toEqual({ ok: false, problem }));
  }
});

test("authorities are read from among other things", () => {
  const text = `# one\n${made.authorityPem}${made.certificatePem}\n${other.authorityPem}junk`;
  const { authorities, unreadable } = parseAuthorities(text);
  expect(authorities.map(({ pem }) => pem.trim())).toEqual([
    made.authorityPem.trim(),
    other.authorityPem.trim(),
  ]);
  expect(unreadable).toBe(1);
  expect(parseAuthorities("")).toEqual({ authorities: [], unreadable: 0 });
});

test("a certificate is for its names, and not for others", () => {
  expect(names.map((name) => isFor(made.certificatePem, name))).toEqual([true, true]);
  expect(isFor(made.certificatePem, "svc-operator.other.svc")).toBe(false);
});

test("a key shows itself nowhere", () => {
  const pem = canary();
  const key = new KeyPem(pem);
  const shown = [
    `${key}`,
    JSON.stringify({ key }),
    Bun.inspect({ key }),
    JSON.stringify(checkPair("x", key)),
  ];
  for (const text of shown) expect(text).not.toContain(pem);
});
