import { describe, expect, test } from "bun:test";
import { parseTotals } from "./totals.ts";

const cases = [
  {
    name: "a run with every kind",
    output: "(pass) a\n 12 pass\n 2 skip\n 1 todo\n 3 fail\n 40 expect() calls\n",
    totals: { passed: 12, failed: 3, skipped: 3 },
  },
  {
    name: "a run that passed",
    output: " 7 pass\n 0 fail\n",
    totals: { passed: 7, failed: 0, skipped: 0 },
  },
  { name: "no run at all", output: "error\n", totals: { passed: 0, failed: 0, skipped: 0 } },
] as const;

describe("totals of bun test", () => {
  for (const { name, output, totals } of cases) {
    test(name, () => expect(parseTotals(output)).toEqual(totals));
  }
});
