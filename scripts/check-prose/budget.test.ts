import { expect, test } from "bun:test";
import { areaOf, budgetProblems, lowered } from "./budget.ts";

const budget = { "README.md": 0, "docs/": 20, "docs/guides/": 5 };

test.each([
  ["README.md", "README.md"],
  ["docs/engine.md", "docs/"],
  ["docs/guides/go.md", "docs/guides/"],
  ["go/store.go", undefined],
])("%s belongs to the area %p", (path, area) => {
  expect(areaOf(path, budget)).toBe(area);
});

test.each([
  ["findings equal to the budget", { "docs/": 20, "docs/guides/": 5 }, []],
  ["a budget that is a little too high", { "docs/": 10, "docs/guides/": 0 }, []],
  ["one finding too many", { "docs/": 20, "README.md": 1 }, ["README.md: 1 findings, 0 allowed"]],
  ["a finding outside every area", { "docs/": 20, "x.md": 1 }, ["x.md: 1 findings, 0 allowed"]],
  [
    "a budget that is too generous",
    { "docs/": 9 },
    ["docs/: 9 findings, 20 allowed: run check-prose.ts --lower"],
  ],
])("the check judges %s", (_, found, problems) => {
  expect(budgetProblems(found, budget)).toEqual(problems);
});

test("lowering a budget never raises an area", () => {
  expect(lowered({ "README.md": 3, "docs/": 4 }, budget)).toEqual({
    "README.md": 0,
    "docs/": 4,
    "docs/guides/": 0,
  });
});
