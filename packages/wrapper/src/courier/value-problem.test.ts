import { describe, expect, test } from "bun:test";
import { closed } from "../testdata/outcomes.ts";
import { valueProblem } from "./value-problem.ts";

const REFERENCE = "the value is still a reference";

describe("valueProblem", () => {
  const accepted: readonly (readonly [name: string, value: string])[] = [
    ["an empty value", ""],
    ["text", "hunter2"],
    ["several lines", "-----BEGIN KEY-----\nabc\n"],
    ["UTF-8", "grüße 🌍"],
    ["a URL of another scheme", "https://vault:8200/v1"],
    ["a reference in the middle", "see vault:secret/data/app#key"],
    ["a reference on a second line", "x\nvault:secret/data/app#key"],
    ["a reference in capitals", "VAULT:secret"],
    ["<no value> with more behind it", "<no value> here"],
    [
      "a ciphertext of Transit",
      "vault:v1:8SDd3WHDOjf7mq69CyCqYjBXAiQQAVZRkFM13ok481zoCmHnSeDX9vyf7w==",
    ],
    ["one of a later key", "vault:v1234:AAAA"],
    ["an ARN of another service", "arn:aws:s3:::bucket"],
  ];
  for (const [name, value] of accepted) {
    test(`accepts ${name}`, () => {
      expect(valueProblem(closed(value), { allowReferences: false })).toBeUndefined();
    });
  }

  const references: readonly string[] = [
    "vault:secret/data/app#key",
    "vault:v1/data/app#key",
    "vault:v:key",
    "vault:v1",
    "vault:v2#key",
    ">>vault:pki/issue/x#certificate",
    "bao:secret/data/app#key",
    ">>bao:secret/data/app#key",
    "$" + "{vault:secret/data/app#key}",
    "$" + "{bao:secret/data/app#key}",
    "<no value>",
    "op://vault/item/field",
    "arn:aws:secretsmanager:eu-central-1:1:secret:x",
    "gcp:secretmanager:projects/x",
    "azure:keyvault:x",
  ];
  for (const value of references) {
    test(`refuses ${value} unless references are allowed`, () => {
      expect(valueProblem(closed(value), { allowReferences: false })?.what).toBe(REFERENCE);
      expect(valueProblem(closed(value), { allowReferences: true })).toBeUndefined();
    });
  }

  const always: readonly (readonly [name: string, value: string | null, what: string])[] = [
    ["null", null, "the value is null"],
    ["a NUL inside", "a\0b", "the value holds a NUL byte"],
    ["a NUL in a reference", "vault:\0", "the value holds a NUL byte"],
  ];
  for (const [name, value, what] of always) {
    test(`refuses ${name} whether references are allowed or not`, () => {
      const secret = value === null ? null : closed(value);
      for (const allow of [false, true])
        expect(valueProblem(secret, { allowReferences: allow })?.what).toBe(what);
    });
  }

  test("repeats no value", () => {
    for (const value of ["vault:canary", "canary\0"]) {
      expect(JSON.stringify(valueProblem(closed(value), { allowReferences: false }))).not.toContain(
        "canary",
      );
    }
  });
});
