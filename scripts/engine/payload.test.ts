import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { temporaryFolder } from "@svc/testing";
import { agreed, putSum } from "./payload.ts";

describe("agreed", () => {
  const rows: readonly (readonly [name: string, made: string, taken: string | undefined])[] = [
    ["takes an image that three attempts make", "aaa", "a"],
    ["passes over one that differs by chance", "abaa", "a"],
    ["passes over a first one that differs", "baaa", "a"],
    ["passes over several that differ", "bacadaa", "a"],
    ["refuses images that depend on their surroundings", "abababababab", undefined],
    ["refuses images that always differ", "abcdefghijkl", undefined],
  ];
  for (const [name, made, taken] of rows) {
    test(name, () => {
      const take = () => agreed((attempt) => Buffer.from(made[attempt] ?? "")).toString();
      if (taken === undefined) expect(take).toThrow("make an image: two differ at byte 0");
      else expect(take()).toBe(taken);
    });
  }
});

describe("putSum", () => {
  const OFFSET = 8192;
  const payload = Buffer.concat([Buffer.from("svc payload here"), Buffer.alloc(200, 7)]);

  test("notes the place of the payload, and the sum of the file without the sum itself", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "wrapper");
    // Code may have the mark, too: not at the beginning of a page.
    const code = Buffer.alloc(OFFSET, 1);
    code.write("svc payload here", 100);
    writeFileSync(path, Buffer.concat([code, payload, Buffer.alloc(13, 2)]));
    putSum(path);
    const file = readFileSync(path);
    expect(file.length).toBe(OFFSET + payload.length + 13);
    expect(file.readBigUInt64LE(OFFSET + 72)).toBe(BigInt(OFFSET));
    const sum = file.readBigUInt64LE(OFFSET + 80);
    file.fill(0, OFFSET + 80, OFFSET + 88);
    expect(sum).toBe((1n << 32n) | BigInt(crc32(file)));
    // A second time it is the same.
    putSum(path);
    expect(readFileSync(path).readBigUInt64LE(OFFSET + 80)).toBe(sum);
  });

  test("refuses a file with two places for it", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "wrapper");
    const page = Buffer.concat([payload], OFFSET);
    writeFileSync(path, Buffer.concat([page, page]));
    expect(() => putSum(path)).toThrow("it must have one place for it");
  });
});
