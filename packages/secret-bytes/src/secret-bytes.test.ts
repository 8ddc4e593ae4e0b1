import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { SyscallError } from "@svc/kernel";
import { canary, temporaryFolder } from "@svc/testing";
import { readSecretFile, secretBytesFrom } from "./index.ts";

describe("a secret in the heap", () => {
  const value = canary();
  const secret = secretBytesFrom(new TextEncoder().encode(`{"a":"${value}"}`));
  const json = secret.parseJson();
  const ways: readonly (readonly [way: string, shown: string])[] = [
    ["string conversion", `${secret} ${json}`],
    ["JSON", JSON.stringify({ secret, json })],
    ["node's inspect", inspect({ secret, json }, { depth: 9, showHidden: true })],
    ["Bun's inspect", Bun.inspect({ secret, json })],
    ["own properties", JSON.stringify([secret, json].map(Object.getOwnPropertyDescriptors))],
  ];
  for (const [way, shown] of ways) {
    test(`shows nothing through ${way}`, () => expect(shown).not.toContain(value));
  }
});

describe("a secret of a file", () => {
  test("is the whole file", () => {
    using folder = temporaryFolder();
    const path = `${folder.path}/token`;
    writeFileSync(path, "hvs.a\n");
    expect(readSecretFile(path, 6).open([])).toBe("hvs.a\n");
  });

  const refused: readonly (readonly [name: string, path: string, code: string])[] = [
    ["that is missing", "/nowhere", "ENOENT"],
    ["that is a directory", "/", "EISDIR"],
    ["that is longer than it may be", "/proc/self/maps", "EFBIG"],
  ];
  for (const [name, path, code] of refused) {
    test(`is refused ${name}`, () => {
      const read = () => readSecretFile(path, 10);
      expect(read).toThrow(SyscallError);
      expect(read).toThrow(expect.objectContaining({ code }));
    });
  }
});
