import { expect, test } from "bun:test";
import { matchesLabels } from "../svc-config/matches-labels.ts";
import type { LabelSelector } from "../svc-config/svc-config.ts";
import { selectorsOverlap } from "./selectors-overlap.ts";

const web = { matchLabels: { app: "web" } };
const is = (operator: "In" | "NotIn" | "Exists" | "DoesNotExist", ...values: string[]) => ({
  matchExpressions: [{ key: "app", operator, ...(values.length > 0 && { values }) }],
});

const rows: readonly (readonly [LabelSelector, LabelSelector, boolean])[] = [
  [{}, {}, true],
  [{}, web, true],
  [web, web, true],
  [web, { matchLabels: { app: "db" } }, false],
  [web, { matchLabels: { tier: "front" } }, true],
  [web, is("In", "db", "web"), true],
  [web, is("In", "db"), false],
  [web, is("NotIn", "web"), false],
  [web, is("NotIn", "db"), true],
  [web, is("Exists"), true],
  [web, is("DoesNotExist"), false],
  [is("Exists"), is("DoesNotExist"), false],
  [is("DoesNotExist"), is("NotIn", "web"), true],
  [is("Exists"), is("NotIn", "web"), true],
  [is("In", "a", "b"), is("NotIn", "a"), true],
  [is("In", "a", "b"), is("NotIn", "a", "b"), false],
];
for (const [a, b, overlap] of rows) {
  test(`${JSON.stringify(a)} and ${JSON.stringify(b)} ${overlap ? "can" : "cannot"} match one pod`, () => {
    expect([selectorsOverlap(a, b), selectorsOverlap(b, a)]).toEqual([overlap, overlap]);
  });
}

test("the result equals a search through all labels of few values", () => {
  const values = [undefined, "a", "b", "other"];
  const pods = values.flatMap((x) => values.map((y) => ({ ...(x && { x }), ...(y && { y }) })));
  const sets = [["a"], ["b"], ["a", "b"]];
  const needs = (["x", "y"] as const).flatMap((key) => [
    ...sets.flatMap((list) => [
      { key, operator: "In", values: list } as const,
      { key, operator: "NotIn", values: list } as const,
    ]),
    { key, operator: "Exists" } as const,
    { key, operator: "DoesNotExist" } as const,
  ]);
  const selectors = needs.flatMap((one) => needs.map((two) => ({ matchExpressions: [one, two] })));
  for (const a of selectors) {
    for (const b of selectors) {
      const both = pods.some((pod) => matchesLabels(a, pod) && matchesLabels(b, pod));
      if (selectorsOverlap(a, b) !== both) throw new TypeError(JSON.stringify({ a, b, both }));
    }
  }
});
