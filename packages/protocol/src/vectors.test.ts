import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import vectors from "../../../formats/vectors/region/cases.json";
import {
  type ReadEntry,
  type RegionEntry,
  readRegion,
  regionLength,
  writeRegion,
} from "./region-format.ts";
import { plainValue } from "./region-value.ts";

/** An entry of the file: its value as text, or as hex if it is not UTF-8. */
interface FileEntry {
  readonly key: string;
  readonly value?: string;
  readonly valueHex?: string;
}

interface Case {
  readonly name: string;
  readonly file: string;
  readonly entries?: readonly FileEntry[];
  readonly error?: string;
}

const folder = join(import.meta.dir, "../../../formats/vectors/region");
const cases: readonly Case[] = vectors.cases;

describe("region vectors", () => {
  for (const { name, file, entries, error } of cases) {
    if (entries === undefined) {
      test(`refuses ${name}`, () => {
        expect(() => readRegion(bytesOf(file))).toThrow(expect.objectContaining({ code: error }));
      });
    } else {
      test(`reads ${name}, and writes the same bytes`, () => {
        const bytes = bytesOf(file);
        const expected = entries.map(entryOf);
        expect(readRegion(bytes)).toEqual(expected);
        const written = new Uint8Array(bytes.length);
        writeRegion(expected.map(writable), written);
        expect<Uint8Array>(written).toEqual(bytes);
      });
    }
  }
});

describe("entries that cannot be written", () => {
  for (const { name, entries, error } of vectors.unwritable) {
    test(`are refused: ${name}`, () => {
      const unwritable = entries.map(entryOf).map(writable);
      expect(() => regionLength(unwritable)).toThrow(expect.objectContaining({ code: error }));
    });
  }
});

describe("the vector file", () => {
  test("names each case once, gives one outcome, and names every file of its folder", () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    for (const { entries, error } of cases) expect([entries, error]).toContain(undefined);
    const files = readdirSync(folder).filter((file) => file.endsWith(".bin"));
    expect(cases.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
  });
});

function bytesOf(file: string): Uint8Array {
  return new Uint8Array(readFileSync(join(folder, file)));
}

function entryOf({ key, value, valueHex }: FileEntry): ReadEntry {
  const bytes = valueHex === undefined ? Buffer.from(value ?? "") : Buffer.from(valueHex, "hex");
  return { key, value: new Uint8Array(bytes) };
}

function writable({ key, value }: ReadEntry): RegionEntry {
  return { key, value: plainValue(value) };
}
