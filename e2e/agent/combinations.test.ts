import { beforeAll, describe, expect, test } from "bun:test";
import {
  listCombinations,
  runCombination,
  sampleCombinations,
  startCombinationVictim,
} from "@svc/testing";
import { expectedVerdicts, holeOf, knownHoles, promises } from "./combinations/known-holes.ts";
import { runCombinations, type Sights } from "./combinations/run-combinations.ts";

/** Another seed draws another sample: e2e/agent/combinations/run-combinations.ts runs all. */
const SEED = 40;
const COUNT = 80;

const all = listCombinations();

describe("each goal has the canary of a program that nothing protects", () => {
  // The agent's map of marks is there only with an agent.
  const simple = all.filter(
    ({ goal, name }) => goal !== "maps" && name.endsWith("/warm/own/64/main/after"),
  );
  for (const combination of simple) {
    test(combination.goal, async () => {
      await using victim = await startCombinationVictim();
      const { finds, looters } = await runCombination(combination, victim);
      expect(finds).toBeGreaterThan(0);
      expect(looters).toHaveLength(1);
    });
  }
});

describe("each holder has it, of arguments at each place", () => {
  const goals = ["memory", "samples-of-all", "probe", "core-pattern-by-request"];
  const wanted = all.filter(
    ({ goal, arguments: way, table, width, target }) =>
      goals.includes(goal) &&
      target === "main" &&
      (width === "32" || way === "warm") &&
      (table === "own" || table === "twin"),
  );
  for (const combination of sampleCombinations(wanted, 16, SEED)) {
    test(combination.name, async () => {
      await using victim = await startCombinationVictim();
      expect((await runCombination(combination, victim)).finds).toBeGreaterThan(0);
    });
  }
});

for (const mode of ["enforce", "detect"] as const) {
  describe(`an agent with ${mode}`, () => {
    const sample = sampleCombinations(all, COUNT, SEED);
    let sights: Sights = new Map();

    beforeAll(async () => {
      sights = await runCombinations(sample, mode);
    });

    for (const combination of sample) {
      // Two runs of a race may differ, so that a known hole of one says nothing.
      if (combination.isRace && expectedVerdicts(combination, mode).includes("silent")) continue;
      test(combination.name, () => {
        const { verdict = "harmless", tier } = sights.get(combination.name) ?? {};
        if (combination.isRace) expect(verdict).not.toBe("silent");
        // A kernel that refuses calls has fewer holes.
        else if (tier === "tracing" || verdict !== promises[mode])
          expect(expectedVerdicts(combination, mode)).toContain(verdict);
      });
    }
  });
}

describe("each known hole", () => {
  for (const { number, mode } of knownHoles) {
    test(`${number} is the first one of a combination`, () => {
      const own = all.filter((combination) => holeOf(combination, mode)?.number === number);
      expect(own).not.toEqual([]);
    });
  }

  test("has its own number", () => {
    expect(new Set(knownHoles.map(({ number }) => number)).size).toBe(knownHoles.length);
  });
});
