import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { ElfFile } from "./elf.ts";

let running: Uint8Array;
beforeAll(() => {
  running = new Uint8Array(readFileSync(process.execPath));
});

describe("ElfFile", () => {
  test("knows the machine and the address of the header", () => {
    const elf = new ElfFile(running);
    expect([62, 183]).toContain(elf.machine);
    // Page-aligned, as the kernel maps it.
    expect(elf.loadAddress % 4096n).toBe(0n);
  });

  test("finds dynamic symbols by their whole name", () => {
    const elf = new ElfFile(running);
    expect(elf.symbols("getenv").length).toBeGreaterThan(0);
    expect(elf.symbols("geten")).toEqual([]);
    expect(elf.symbols("no_such_function")).toEqual([]);
  });

  test("finds the relocations by which a function is called", () => {
    const elf = new ElfFile(running);
    const [getenv = -1] = elf.symbols("getenv");
    expect(elf.relocations().some(({ symbol }) => symbol === getenv)).toBe(true);
  });

  test("points a relocation at another symbol and leaves the rest of it", () => {
    const elf = new ElfFile(running.slice());
    const [getenv = -1] = elf.symbols("getenv");
    const [dlerror = -1] = elf.symbols("dlerror");
    const before = elf.relocations();
    const call = before.find(({ symbol }) => symbol === getenv);
    if (call === undefined) throw new Error("the runtime does not call getenv");
    elf.setSymbol(call, dlerror);
    const after = elf.relocations();
    expect(changed(before, after)).toEqual([{ ...call, symbol: dlerror }]);
  });

  test("makes a relocation write a fixed address", () => {
    const bytes = running.slice();
    const elf = new ElfFile(bytes);
    const before = elf.relocations();
    const [first] = before;
    if (first === undefined) throw new Error("the runtime has no relocations");
    elf.setRelative(first, 77, 0x1234n);
    expect(changed(before, elf.relocations())).toEqual([{ ...first, type: 77, symbol: 0 }]);
    const view = new DataView(bytes.buffer);
    expect(view.getBigInt64(first.position + 16, true)).toBe(0x1234n);
  });

  test("hides a symbol by its index", () => {
    const elf = new ElfFile(running.slice());
    for (const index of elf.symbols("getenv")) elf.hideSymbol(index);
    expect(elf.symbols("getenv")).toEqual([]);
  });

  test("changes nothing when it only reads", () => {
    const bytes = running.slice();
    const elf = new ElfFile(bytes);
    elf.symbols("getenv");
    elf.relocations();
    expect(Bun.hash(bytes)).toBe(Bun.hash(running));
    expect(elf.bytes).toBe(bytes);
  });

  const refused: readonly (readonly [name: string, bytes: () => Uint8Array])[] = [
    ["no bytes", () => new Uint8Array(0)],
    ["a script", () => new TextEncoder().encode(`#!/bin/sh\n${"#".repeat(100)}\n`)],
    ["a header that is cut off", () => running.slice(0, 63)],
    ["an executable for 32 bits", () => withByte(running.slice(0, 4096), 4, 1)],
    [
      "an executable with its bytes the other way round",
      () => withByte(running.slice(0, 4096), 5, 2),
    ],
  ];
  for (const [name, bytes] of refused) {
    test(`refuses ${name}`, () => {
      expect(() => new ElfFile(bytes())).toThrow(new TypeError("not an ELF-64 little-endian file"));
    });
  }

  test("names a section that is not there", () => {
    // The file says that it has no sections.
    const bytes = running.slice();
    new DataView(bytes.buffer).setUint16(60, 0, true);
    expect(() => new ElfFile(bytes).symbols("getenv")).toThrow(new TypeError("no section .dynsym"));
  });
});

function withByte(bytes: Uint8Array, index: number, value: number): Uint8Array {
  bytes[index] = value;
  return bytes;
}

function changed<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return after.filter((item, index) => !Bun.deepEquals(item, before[index]));
}
