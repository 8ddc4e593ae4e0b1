import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Rounds } from "./rounds.ts";

/** The engine's loop is tested with the same file. */
const file = join(import.meta.dir, "../../../../engine/host/testdata/rounds.txt");
const [first = "", ...cases] = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));
const budgets = numbers(first.replace("budgets", ""));

test.each(cases)("takes events in the engine's order: %s", (line) => {
  const [counts = "", order = ""] = line.split(" :");
  const waiting = numbers(counts);
  const rounds = new Rounds(budgets);
  const taken: string[] = [];
  for (;;) {
    const step = rounds.step((source) => {
      const left = waiting[source] ?? 0;
      if (left === 0) return undefined;
      waiting[source] = left - 1;
      return source;
    });
    if (step === undefined) break;
    taken.push(step === "round over" ? "|" : String(step.event));
  }
  expect(taken.join(" ")).toBe(order.trim());
});

function numbers(text: string): number[] {
  return text.trim().split(/\s+/).map(Number);
}
