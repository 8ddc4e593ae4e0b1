import { describe, expect, test } from "bun:test";
import { findSlots, offsetsOf, type Placement } from "./placement.ts";

const SLOTS = 0x7000;
const REGION = 0x5_0000;
const placement: Placement = {
  slotsAddress: SLOTS,
  slotCount: 4,
  regionAddress: REGION,
  offsets: { USER: 0, PASSWORD: 20 },
  generation: 0,
};

describe("findSlots", () => {
  const rows: readonly (readonly [
    name: string,
    words: readonly number[],
    found: Readonly<Record<string, number>>,
  ])[] = [
    ["in the place that they were put", [1, 2, REGION, REGION + 20], { USER: 2, PASSWORD: 3 }],
    ["if unsetenv has moved them", [1, REGION, REGION + 20, 0], { USER: 1, PASSWORD: 2 }],
    ["in another order", [REGION + 20, 1, REGION, 2], { PASSWORD: 0, USER: 2 }],
    ["and not the variables that the program has changed", [1, 2, REGION, 3], { USER: 2 }],
    ["and nothing between two entries", [REGION + 1, REGION + 19, REGION + 21, 0], {}],
    ["and nothing behind the end", [0, 1, REGION, REGION + 20], {}],
  ];
  for (const [name, words, found] of rows) {
    test(`finds them ${name}`, () => {
      const slots = findSlots(placement, readerOf(words));
      const indices = slots.map(({ address, variable }) => [variable, (address - SLOTS) / 8]);
      expect(Object.fromEntries(indices)).toEqual(found);
    });
  }

  test("reads no word behind the slots that there were", () => {
    expect(() => findSlots(placement, readerOf([1, 2, 3, 4]))).not.toThrow();
  });
});

test("offsetsOf leaves those that were found", () => {
  const slots = [{ address: SLOTS, variable: "PASSWORD" }];
  expect(offsetsOf(slots, placement.offsets)).toEqual({ PASSWORD: 20 });
});

function readerOf(words: readonly number[]) {
  return (address: number): bigint => {
    const word = words[(address - SLOTS) / 8];
    if (word === undefined) throw new RangeError(`read past the end: ${address}`);
    return BigInt(word);
  };
}
