import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { KernelTypes } from "./kernel-types.ts";
import {
  readingFunctions,
  readReadingFunctions,
  writeReadingFunctions,
} from "./reading-functions.ts";

const INT = 1;
const POINTER = 2;
const STRUCT = 4;
const CONST = 10;
const FUNC = 12;
const PROTO = 13;

/**
 * A type: its kind, its name, its reference, and the words behind it. Names of 1 on are offsets.
 */
type Row = readonly [kind: number, name: string, of: number, ...behind: (string | number)[]];

/** Types 1 to 11; then functions. */
const common: readonly Row[] = [
  [INT, "int", 4, 0x20],
  [CONST, "", 0],
  [POINTER, "", 2],
  [POINTER, "", 0],
  [STRUCT, "pair", 8, "size__ign", 1, 0],
  [PROTO, "", 0, "obj__ign", 3, "size", 1],
  [PROTO, "", 0, "size", 1, "meta__ign", 4],
  [PROTO, "", 0, "from", 3],
  [PROTO, "", 0, "count__ign", 1],
  [PROTO, "", 0, "stream", 1, "fmt__str", 3],
  [PROTO, "", 0, "name__str", 3],
];
const functions: readonly Row[] = [
  [FUNC, "bpf_rdonly_cast", 6],
  [FUNC, "bpf_obj_new", 7],
  [FUNC, "bpf_looks_at_its_argument", 8],
  [FUNC, "bpf_takes_a_number", 9],
  [FUNC, "bpf_strlen", 6],
  [FUNC, "bpf_prints", 10],
  [FUNC, "bpf_finds_a_name", 11],
];

describe("functions by which programs read any address", () => {
  test("have a pointer to const that the verifier leaves alone, or a format", () => {
    const types = new KernelTypes(typesOf([...common, ...functions]));
    expect(readingFunctions(types)).toEqual([12, 16, 17]);
  });

  test("of a module go on behind the kernel's types and names", () => {
    const kernel = new KernelTypes(typesOf([...common, ...functions]));
    const names = namesOf([...common, ...functions]);
    const module = typesOf(
      [
        [PROTO, "", 0, "data__ign", 3],
        [FUNC, "module_reads", 19],
        [FUNC, "module_reads_as_the_kernel_does", 6],
        [FUNC, "module_looks", 8],
      ],
      names.length,
    );
    expect(readingFunctions(new KernelTypes(module, kernel))).toEqual([20, 21]);
  });

  test("are those of the kernel and of all modules, without types that cannot be read", () => {
    using folder = temporaryFolder();
    const kernel = [...common, ...functions];
    writeFileSync(join(folder.path, "vmlinux"), typesOf(kernel));
    const module = typesOf([[FUNC, "module_reads", 6]], namesOf(kernel).length);
    writeFileSync(join(folder.path, "network"), module);
    writeFileSync(join(folder.path, "broken"), "no types");
    mkdirSync(join(folder.path, "folder"));
    expect(readReadingFunctions(folder.path)).toEqual([12, 16, 17, 19]);
    expect(readReadingFunctions(join(folder.path, "folder"))).toEqual([]);
  });

  test("are told to the programs by their numbers", () => {
    const written = new Map<string, string>();
    writeReadingFunctions(
      { update: (key, value) => void written.set(key.toHex(), value.toHex()) },
      [10, 65477],
    );
    expect([...written]).toEqual([
      ["0a000000", "01"],
      ["c5ff0000", "01"],
    ]);
  });

  test("are found in the running kernel, if it tells its types and has bpf_rdonly_cast", () => {
    const types = "/sys/kernel/btf/vmlinux";
    const has = existsSync(types) && readFileSync(types).includes("\0bpf_rdonly_cast\0");
    expect(readReadingFunctions().length > 0).toBe(has);
  });
});

describe("types that are malformed", () => {
  const good = typesOf(common);
  const rows = {
    "too short for a head": good.subarray(0, 16),
    "cut off": good.subarray(0, good.length - 4),
    "of another format": Uint8Array.from(good, (byte, index) => (index === 0 ? 0 : byte)),
    empty: new Uint8Array(0),
  };
  for (const [name, bytes] of Object.entries(rows)) {
    test(name, () => expect(() => new KernelTypes(bytes)).toThrow(RangeError));
  }
});

function namesOf(rows: readonly Row[]): string {
  const names = rows.flatMap(([_kind, name, _of, ...behind]) => [
    name,
    ...behind.filter((word) => typeof word === "string"),
  ]);
  return `\0${[...new Set(names.filter((name) => name !== ""))].map((name) => `${name}\0`).join("")}`;
}

/** Bytes as the kernel writes them: Documentation/bpf/btf.rst. */
function typesOf(rows: readonly Row[], namesBefore = 0): Uint8Array {
  const names = namesOf(rows);
  const offset = (name: string): number =>
    name === "" ? 0 : namesBefore + names.indexOf(`\0${name}\0`) + 1;
  const parts = { [STRUCT]: 3, [PROTO]: 2 } as Readonly<Record<number, number>>;
  const words = rows.flatMap(([kind, name, of, ...behind]) => [
    offset(name),
    (kind << 24) | (behind.length / (parts[kind] ?? Infinity)),
    of,
    ...behind.map((word) => (typeof word === "string" ? offset(word) : word)),
  ]);
  const head = [0x0001eb9f, 24, 0, words.length * 4, words.length * 4, names.length];
  const numbers = new Uint8Array(new Uint32Array([...head, ...words]).buffer);
  return new Uint8Array(Buffer.concat([numbers, Buffer.from(names, "latin1")]));
}
