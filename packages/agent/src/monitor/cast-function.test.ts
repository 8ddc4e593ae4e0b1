import { describe, expect, test } from "bun:test";
import { functionNumber } from "./cast-function.ts";

/** Types as the kernel writes them: a number, a structure of one field, a function's parameters, and two functions. */
function types(): Uint8Array {
  const names = "\0int\0size\0pair\0bpf_rdonly_cast\0bpf_rdonly\0";
  const nameOf = (name: string): number => names.indexOf(`\0${name}\0`) + 1;
  const words = [
    ...[nameOf("int"), 1 << 24, 4, 0x20],
    ...[nameOf("pair"), (4 << 24) | 1, 4, nameOf("size"), 1, 0],
    ...[0, (13 << 24) | 1, 1, nameOf("size"), 1],
    ...[nameOf("bpf_rdonly"), 12 << 24, 3],
    ...[nameOf("bpf_rdonly_cast"), 12 << 24, 3],
  ];
  const head = [0x0001eb9f, 24, 0, words.length * 4, words.length * 4, names.length];
  const numbers = new Uint8Array(new Uint32Array([...head, ...words]).buffer);
  return Buffer.concat([numbers, Buffer.from(names, "latin1")]);
}

describe("the number of a function among the kernel's types", () => {
  const table = [
    ["bpf_rdonly_cast", 5],
    ["bpf_rdonly", 4],
    // A type of that name is no function.
    ["pair", 0],
    ["bpf_absent", 0],
  ] as const;

  for (const [name, number] of table) {
    test(`${name} is ${number}`, () => {
      expect(functionNumber(types(), name)).toBe(number);
    });
  }

  test("types that end too early are none", () => {
    expect(() => functionNumber(types().subarray(0, 16), "bpf_rdonly_cast")).toThrow(RangeError);
  });
});
