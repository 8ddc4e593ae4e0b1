import { describe, expect, test } from "bun:test";
import { bech32 } from "@scure/base";
import { parseAgeRecipient } from "./key-variables.ts";

/** A recipient from the README of age. */
const recipient = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
const withBytes = (prefix: string, count: number) =>
  bech32.encodeFromBytes(prefix, new Uint8Array(count));
const long = (prefix: string, count: number) =>
  bech32.encode(prefix, bech32.toWords(new Uint8Array(count)), false);

describe("a recipient that is accepted:", () => {
  const rows = [
    ["a key of X25519", recipient],
    ["a post-quantum key", long("age1pq", 1216)],
    ["the tag of a hardware key", withBytes("age1tag", 33)],
  ] as const;
  for (const [name, text] of rows) {
    test(name, () => expect(parseAgeRecipient(text)).toMatchObject({ ok: true, value: text }));
  }
});

describe("a recipient that is refused:", () => {
  const rows = [
    ["nothing", ""],
    ["another text", "correct horse battery"],
    ["an SSH key", "ssh-ed25519 AAAA"],
    ["an identity", "AGE-SECRET-KEY-1QQQQ"],
    ["a letter that was mistyped", recipient.replace("ql3z", "ql3y")],
    ["letters that changed places", recipient.replace("ql3z", "ql3z").replace("hj", "jh")],
    ["a letter that Bech32 has not", recipient.replace("ql3z", "qb3z")],
    ["upper case", recipient.toUpperCase()],
    ["a plugin's", withBytes("age1yubikey", 33)],
    ["a byte too many", withBytes("age", 33)],
    ["a byte too few", withBytes("age", 31)],
  ] as const;
  for (const [name, text] of rows) {
    test(name, () => {
      const parsed = parseAgeRecipient(text);
      expect(parsed.ok).toBe(false);
      // It may be the wrong half of a key.
      if (text.length > 12) expect(JSON.stringify(parsed)).not.toContain(text);
    });
  }
});
