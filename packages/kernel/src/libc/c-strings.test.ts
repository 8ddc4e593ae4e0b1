import { ptr } from "bun:ffi";
import { describe, expect, test } from "bun:test";
import { cString, stringVector } from "./c-strings.ts";

describe("cString", () => {
  const rows: readonly (readonly [name: string, text: string | Uint8Array, bytes: number[]])[] = [
    ["ends an empty text in NUL", "", [0]],
    ["ends a text in NUL", "ab", [0x61, 0x62, 0]],
    ["writes UTF-8", "ö", [0xc3, 0xb6, 0]],
    ["keeps bytes that are not UTF-8", Uint8Array.of(0xff, 0x80), [0xff, 0x80, 0]],
  ];
  for (const [name, text, bytes] of rows) {
    test(name, () => {
      expect([...cString(text)]).toEqual(bytes);
    });
  }

  for (const [name, text] of [
    ["a text", "a\0b"],
    ["bytes", Uint8Array.of(0)],
  ] as const) {
    test(`refuses ${name} with a NUL inside`, () => {
      expect(() => cString(text)).toThrow(TypeError);
    });
  }
});

describe("stringVector", () => {
  test("of nothing is a single NULL", () => {
    expect(stringVector([]).pointers).toEqual(BigUint64Array.of(0n));
  });

  test("points at our strings, takes addresses as they are, and ends in NULL", () => {
    const text = cString("a");
    const { pointers, keep } = stringVector([text, 4096]);
    expect(pointers).toEqual(BigUint64Array.of(BigInt(ptr(text)), 4096n, 0n));
    expect(keep).toEqual([text]);
  });
});
