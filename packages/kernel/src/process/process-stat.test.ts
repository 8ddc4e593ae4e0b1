import { expect, test } from "bun:test";
import { statField } from "./process-stat.ts";

const rows = [
  [3, "S"],
  [4, "1"],
  [6, "8"],
  [7, undefined],
] as const;
for (const [number, field] of rows) {
  test(`field ${number} of /proc/PID/stat is ${field}, with any name`, () => {
    expect(statField("42 (a (b) R 7) c) S 1 9 8", number)).toBe(field);
  });
}
