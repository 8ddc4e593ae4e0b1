import { expect, test } from "bun:test";
import { closed } from "../testdata/outcomes.ts";
import { largeValues } from "./large-values.ts";

const KIB = 1024;
const entry = (variable: string, bytes: number) => ({
  variable,
  value: closed("x".repeat(bytes)),
});
const many = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) => entry(`V${index}`, bytes));
const ofOne = "128 KiB is the most for a variable, and BIG has more";
const ofAll =
  "all variables together are too large for the 2048 KiB of a quarter of the stack limit";

const rows = [
  ["no value", [], [], undefined],
  [
    "the largest that fits: BIG=, the value and a NUL",
    [entry("BIG", 128 * KIB - 5)],
    [],
    undefined,
  ],
  ["one byte more", [entry("BIG", 128 * KIB - 4)], [], ofOne],
  ["one of several", [entry("A", 1), entry("BIG", 200 * KIB)], [], ofOne],
  ["many that fit", many(13, 127 * KIB), [], undefined],
  ["many that do not fit", many(17, 127 * KIB), [], ofAll],
  ["few beside a large environment", many(2, 100 * KIB), [{ length: 1800 * KIB }], ofAll],
] as const;
for (const [what, entries, environment, expected] of rows) {
  test(`${what}: ${expected === undefined ? "fits" : "is too large"}`, () => {
    expect(largeValues(entries, environment, 2048 * KIB)).toBe(expected);
  });
}
