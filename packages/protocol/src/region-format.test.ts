import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ReadEntry,
  type RegionEntry,
  RegionFormatError,
  readRegion,
  regionFormatErrorCatalogue,
  regionLength,
  writeRegion,
} from "./region-format.ts";
import { plainValue } from "./region-value.ts";

describe("regionLength", () => {
  const rows: readonly (readonly [
    name: string,
    entries: readonly RegionEntry[],
    length: number,
  ])[] = [
    ["is one for no entries", [], 1],
    ["counts key, equals sign, value and NUL", [entry("KEY", "value")], 10],
    ["counts an empty value", [entry("A", "")], 3],
    ["counts bytes and not letters", [entry("A", "ö🌍")], 9],
    ["adds the entries up", [entry("A", "1"), entry("B", "22")], 9],
  ];
  for (const [name, entries, length] of rows) {
    test(name, () => {
      expect(regionLength(entries)).toBe(length);
    });
  }
});

describe("writeRegion", () => {
  test("gives the offset of each entry, and leaves the rest of the target alone", () => {
    const target = new Uint8Array(12).fill(0);
    expect(writeRegion([entry("A", "1"), entry("B", "22")], target)).toEqual([0, 4]);
    expect(new TextDecoder().decode(target)).toBe("A=1\0B=22\0\0\0\0");
  });

  test("throws if the target is too short", () => {
    expect(() => writeRegion([entry("KEY", "value")], new Uint8Array(8))).toThrow(RangeError);
  });
});

describe("readRegion", () => {
  test("finds no entry in no bytes", () => {
    expect(readRegion(new Uint8Array(0))).toEqual([]);
  });

  test("gives values that are views into the region", () => {
    const bytes = new TextEncoder().encode("A=1\0");
    const [first] = readRegion(bytes);
    bytes[2] = 0x32;
    expect(first?.value).toEqual(Uint8Array.of(0x32));
  });

  test("reads back the written entries, for random ones", () => {
    for (let round = 0; round < 200; round++) {
      const plain = randomEntries();
      const entries = plain.map(({ key, value }) => ({ key, value: plainValue(value) }));
      const bytes = new Uint8Array(regionLength(entries) + Math.floor(Math.random() * 20));
      writeRegion(entries, bytes);
      expect(readRegion(bytes)).toEqual(plain);
    }
  });
});

describe("RegionFormatError", () => {
  test("names the key and never the value", () => {
    const error = errorOf(() => regionLength([entry("KEY", "canary\0")]));
    expect(error).toMatchObject({
      name: "RegionFormatError",
      code: "NUL_IN_VALUE",
      key: "KEY",
      message: 'a value holds a NUL byte: "KEY"',
    });
  });

  test("names no key if there is none", () => {
    const error = errorOf(() => readRegion(new TextEncoder().encode("canary")));
    expect(error.key).toBeUndefined();
    expect(error.message).toBe("the last entry does not end in NUL");
  });

  test("has a vector for each of its codes", () => {
    const vectors = ["region", "reloadable-region"]
      .map((folder) => join(import.meta.dir, "../../../formats/vectors", folder, "cases.json"))
      .map((path) => readFileSync(path, "utf8"))
      .join("");
    for (const code of Object.keys(regionFormatErrorCatalogue)) {
      expect(vectors).toContain(`"error": "${code}"`);
    }
  });
});

function entry(key: string, value: string): RegionEntry {
  return { key, value: plainValue(new TextEncoder().encode(value)) };
}

function randomEntries(): readonly ReadEntry[] {
  return Array.from({ length: Math.floor(Math.random() * 8) }, (_, index) => ({
    key: `K${index}`,
    value: crypto
      .getRandomValues(new Uint8Array(Math.floor(Math.random() * 40)))
      .map((byte) => byte || 1),
  }));
}

function errorOf(action: () => void): RegionFormatError {
  try {
    action();
  } catch (error) {
    if (error instanceof RegionFormatError) return error;
    throw error;
  }
  throw new Error("expected a RegionFormatError, got a result");
}
