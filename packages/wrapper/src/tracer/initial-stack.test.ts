import { describe, expect, test } from "bun:test";
import { executedPathAddress, readInitialStack, wordsWithoutSlots } from "./initial-stack.ts";

const STACK = 0x7000;
const AT_PAGESZ = 6n;
const AT_EXECFN = 31n;

describe("readInitialStack", () => {
  const words = [
    2n,
    0x100n,
    0x110n,
    0n,
    0x200n,
    0x210n,
    0x220n,
    0n,
    AT_PAGESZ,
    4096n,
    AT_EXECFN,
    0x300n,
    0n,
    0n,
  ];

  test("reads arguments, variables and the auxiliary vector", () => {
    const stack = readInitialStack(STACK, reader(words));
    expect(stack).toEqual({
      argv: [0x100, 0x110],
      slotsAddress: STACK + 8 * 4,
      slots: [0x200, 0x210, 0x220],
      auxiliary: [AT_PAGESZ, 4096n, AT_EXECFN, 0x300n, 0n, 0n],
    });
    expect(executedPathAddress(stack)).toBe(0x300);
  });

  test("reads a program without arguments and variables", () => {
    const stack = readInitialStack(STACK, reader([0n, 0n, 0n, 0n, 0n]));
    expect(stack).toEqual({ argv: [], slotsAddress: STACK + 16, slots: [], auxiliary: [0n, 0n] });
    expect(executedPathAddress(stack)).toBeUndefined();
  });

  test("reads not a word more", () => {
    // The reader throws past its end.
    expect(() => readInitialStack(STACK, reader(words))).not.toThrow();
    expect(() => readInitialStack(STACK, reader(words.slice(0, -1)))).toThrow(RangeError);
  });

  test("refuses bytes that are not an initial stack", () => {
    expect(() => readInitialStack(STACK, () => 0xffff_ffff_ffffn)).toThrow("not an initial stack");
    expect(() => readInitialStack(STACK, () => 7n)).toThrow("not an initial stack");
  });
});

describe("wordsWithoutSlots", () => {
  const stack = {
    argv: [],
    slotsAddress: STACK,
    slots: [1, 2, 3, 4],
    auxiliary: [AT_PAGESZ, 4096n, 0n, 0n],
  };
  const rows: readonly (readonly [gone: readonly number[], words: readonly bigint[]])[] = [
    [[], [1n, 2n, 3n, 4n, 0n, AT_PAGESZ, 4096n, 0n, 0n]],
    [[2], [1n, 3n, 4n, 0n, AT_PAGESZ, 4096n, 0n, 0n, 0n]],
    [
      [1, 4],
      [2n, 3n, 0n, AT_PAGESZ, 4096n, 0n, 0n, 0n, 0n],
    ],
    [
      [1, 2, 3, 4],
      [0n, AT_PAGESZ, 4096n, 0n, 0n, 0n, 0n, 0n, 0n],
    ],
  ];
  for (const [gone, words] of rows) {
    test(`moves the auxiliary vector up by ${gone.length}`, () => {
      expect(wordsWithoutSlots(stack, (slot) => gone.includes(slot))).toEqual(words);
    });
  }
});

function reader(words: readonly bigint[]) {
  return (address: number): bigint => {
    const word = words[(address - STACK) / 8];
    if (word === undefined) throw new RangeError(`read past the end: ${address}`);
    return word;
  };
}
