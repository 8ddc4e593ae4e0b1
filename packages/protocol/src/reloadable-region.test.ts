import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import vectors from "../../../formats/vectors/reloadable-region/cases.json";
import type { ReadEntry, RegionEntry } from "./region-format.ts";
import { plainValue } from "./region-value.ts";
import {
  copyGeneration,
  isReloadable,
  readGeneration,
  reloadableLength,
  writeFirstGeneration,
  writeNextGeneration,
} from "./reloadable-region.ts";

interface FileEntry {
  readonly key: string;
  readonly value: string;
}

interface Case {
  readonly name: string;
  readonly file: string;
  readonly generation?: number;
  readonly entries?: readonly FileEntry[];
  readonly error?: string;
}

interface Step {
  readonly name: string;
  readonly from: string;
  readonly required: readonly string[];
  readonly pointedAt?: number;
  readonly entries: readonly FileEntry[];
  readonly file?: string;
  readonly error?: string;
}

const folder = join(import.meta.dir, "../../../formats/vectors/reloadable-region");
const cases: readonly Case[] = vectors.cases;
const steps: readonly Step[] = vectors.next;

describe("reloadable region vectors", () => {
  for (const { name, file, generation, entries, error } of cases) {
    const readers = { "by views": readGeneration, "by a copy": copyGeneration };
    for (const [way, read] of Object.entries(readers)) {
      if (entries === undefined) {
        test(`refuses ${name}, ${way}`, () => {
          expect(() => read(bytesOf(file))).toThrow(expect.objectContaining({ code: error }));
        });
      } else {
        test(`reads ${name}, ${way}`, () => {
          const bytes = bytesOf(file);
          expect(isReloadable(bytes)).toBe(true);
          const found = read(bytes);
          expect(found.generation).toBe(generation ?? -1);
          expect(found.entries).toEqual(entries.map(readEntryOf));
        });
      }
    }
  }

  test("name each case once, and name every file of their folder", () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    const files = readdirSync(folder).filter((file) => file.endsWith(".bin"));
    const named = [...cases, ...steps].map(({ file }) => file ?? "");
    const all = new Set([...named, ...steps.map(({ from }) => from)].filter((file) => file !== ""));
    expect([...all].toSorted()).toEqual(files.toSorted());
  });
});

describe("the next generation", () => {
  for (const { name, from, required, pointedAt, entries, file, error } of steps) {
    const before = bytesOf(from);
    const write = () => writeNextGeneration(before, entries.map(entryOf), { required, pointedAt });
    if (file === undefined) {
      test(`is refused ${name}, and nothing is written`, () => {
        expect(write).toThrow(expect.objectContaining({ code: error }));
        expect(before).toEqual(bytesOf(from));
      });
    } else {
      test(`is written: ${name}`, () => {
        const { offsets } = write();
        expect(before).toEqual(bytesOf(file));
        const found = entries.map(({ key }, index) => keyAt(before, offsets[index] ?? -1, key));
        expect(found).toEqual(entries.map(({ key }) => `${key}=`));
      });
    }
  }
});

describe("generation 0", () => {
  const rows: readonly (readonly [name: string, valueBytes: number, slotBytes: number])[] = [
    ["of little has a page more than it needs twice", 10, 8192],
    ["of a page has three", 4091, 12288],
    ["of a byte more has four", 4092, 16384],
  ];
  for (const [name, valueBytes, slotBytes] of rows) {
    test(name, () => {
      const value = new Uint8Array(valueBytes).fill(0x78);
      const entries = [{ key: "KEY", value: plainValue(value) }];
      const bytes = new Uint8Array(reloadableLength(entries));
      expect(bytes.length).toBe(3 * slotBytes + 4096);
      expect(writeFirstGeneration(entries, bytes)).toEqual({ generation: 0, offsets: [0] });
      expect(readGeneration(bytes)).toEqual({
        ...{ generation: 0, slotOffset: 0, slotBytes },
        entries: [{ key: "KEY", value }],
      });
    });
  }

  test("is found by a reader of plain regions, which stops at the first empty entry", () => {
    const entries = [entryOf({ key: "A", value: "1" }), entryOf({ key: "B", value: "2" })];
    const bytes = new Uint8Array(reloadableLength(entries));
    writeFirstGeneration(entries, bytes);
    const end = bytes.indexOf(0, 5);
    expect(new TextDecoder().decode(bytes.subarray(0, end))).toBe("A=1\0B=2");
    expect(bytes.subarray(end, -32).every((byte) => byte === 0)).toBe(true);
  });

  test("needs a target of three slots and a page", () => {
    expect(() => writeFirstGeneration([], new Uint8Array(12288))).toThrow(RangeError);
  });
});

test("generation 0 is never written again", () => {
  const entries = [entryOf({ key: "A", value: "first" })];
  const bytes = new Uint8Array(reloadableLength(entries));
  writeFirstGeneration(entries, bytes);
  const slot = bytes.slice(0, readGeneration(bytes).slotBytes);
  for (const value of ["1", "2", "3", "4"]) {
    writeNextGeneration(bytes, [entryOf({ key: "A", value })], { required: ["A"] });
    expect(bytes.subarray(0, slot.length)).toEqual(slot);
  }
});

test("a plain region cannot be reloaded", () => {
  expect(isReloadable(new Uint8Array(4096))).toBe(false);
  expect(isReloadable(new Uint8Array(0))).toBe(false);
});

/** A separate buffer: the trailer's number must be at a multiple of 8. */
function bytesOf(file: string): Uint8Array {
  return new Uint8Array(readFileSync(join(folder, file)));
}

function keyAt(region: Uint8Array, offset: number, key: string): string {
  return new TextDecoder().decode(region.subarray(offset, offset + key.length + 1));
}

function entryOf(entry: FileEntry): RegionEntry {
  const { key, value } = readEntryOf(entry);
  return { key, value: plainValue(value) };
}

function readEntryOf({ key, value }: FileEntry): ReadEntry {
  return { key, value: new TextEncoder().encode(value) };
}
