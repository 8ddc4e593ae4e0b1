import { expect, test } from "bun:test";
import { checkBudget } from "./check-budget.ts";

test("three checks may be asked for at once, and then one in each interval", () => {
  let nowMs = 1000;
  const ask = checkBudget(30_000, () => nowMs);
  expect([ask(), ask(), ask()]).toEqual([undefined, undefined, undefined]);
  expect(ask()).toEqual({ retryAfterMs: 30_000 });
  nowMs += 15_000;
  expect(ask()).toEqual({ retryAfterMs: 15_000 });
  nowMs += 15_000;
  expect([ask(), ask()]).toEqual([undefined, { retryAfterMs: 30_000 }]);
});

test("a long silence saves up no more than three", () => {
  let nowMs = 0;
  const ask = checkBudget(30_000, () => nowMs);
  nowMs = 86_400_000;
  const answers = Array.from({ length: 4 }, ask);
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(3);
});
