import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { failedSeeds } from "./failed-seeds.ts";
import { plantedFaults } from "./planted/faults.ts";
import { plant } from "./planted/plant.ts";
import { invariants, type Violation } from "./run-scenario.ts";
import { scenarioOf } from "./seeded-scenario.ts";
import { stories, storyPath } from "./stories/stories.ts";
import type { Scenario } from "./world/scenario.ts";

const TIMEOUT_MS = 600_000;
const program = `${import.meta.dir}/../testdata/simulates.ts`;

async function ask<Answer>(...words: readonly string[]): Promise<Answer> {
  const child = Bun.spawn([process.execPath, program, ...words], { stdio: ["ignore", "pipe", 2] });
  const [text, status] = await Promise.all([child.stdout.text(), child.exited]);
  if (status !== 0) throw new Error(`simulates.ts ended with ${status}: ${text.slice(-2000)}`);
  return JSON.parse(text) as Answer;
}

test.each([3, 1_000_003, 2 ** 40 + 6])(
  "seed %p gives the same run each time, to the byte",
  async (seed) => {
    type Run = { readonly events: readonly string[]; readonly log: string };
    const first = await ask<Run>("run", String(seed));
    expect(await ask<Run>("run", String(seed))).toEqual(first);
    expect(first.events.length).toBeGreaterThan(3);
  },
  TIMEOUT_MS,
);

test(
  "programs start, get new versions and end, so that the promises are about something",
  async () => {
    type Runs = readonly { readonly starts: number; readonly probes: number; ending: unknown }[];
    const runs = await ask<Runs>("survey", "120");
    expect(runs.filter(({ starts }) => starts > 0).length).toBeGreaterThan(50);
    expect(runs.filter(({ starts }) => starts > 1).length).toBeGreaterThan(9);
    expect(runs.filter(({ probes }) => probes > 10).length).toBeGreaterThan(50);
    expect(new Set(runs.map(({ ending }) => JSON.stringify(ending))).size).toBeGreaterThan(5);
  },
  TIMEOUT_MS,
);

test(
  "a seed that has broken a promise keeps all of them",
  async () => {
    expect(failedSeeds.length).toBeGreaterThan(7);
    expect(await ask<readonly object[]>("again")).toEqual([]);
  },
  TIMEOUT_MS,
);

test("a thousand seeds have each story", () => {
  const seeds = Array.from({ length: 1000 }, (_, index) => index + 1);
  const told = new Set(seeds.map((seed) => scenarioOf(seed).story));
  for (const name of Object.keys(stories)) expect(told.has(name), name).toBe(true);
});

describe("a planted fault", () => {
  test("has a text that is in the code once", () => {
    for (const fault of plantedFaults) expect(() => plant(fault)).not.toThrow();
    expect(new Set(plantedFaults.map(({ name }) => name)).size).toBe(plantedFaults.length);
  });

  // The step "planted faults" wants all of them to be found.
  const quick = [
    "a signal with a value is sent again without it",
    "failures end the wrapper with 0",
    "a start forgets to pass signals on",
    "descendants are left running",
  ];
  test.each(quick)(
    "is found, and shown by a smaller scenario: %s",
    async (name) => {
      type Found = {
        readonly found: boolean;
        readonly before: Scenario;
        readonly violation: Violation;
        readonly smallest: { readonly scenario: Scenario; readonly violation: Violation };
        readonly again: Violation;
      };
      const { found, before, violation, smallest, again } = await ask<Found>("find", name);
      expect(found).toBe(true);
      expect(smallest.violation.invariant).toBe(violation.invariant);
      expect(again).toEqual(smallest.violation);
      expect(sizeOf(smallest.scenario)).toBeLessThanOrEqual(sizeOf(before));
    },
    TIMEOUT_MS,
  );
});

test("each promise has a name and a sentence", () => {
  expect(new Set(invariants.map(({ name }) => name)).size).toBe(invariants.length);
  for (const { promise } of invariants) expect(promise).toMatch(/^\S.*\.$/);
});

test("each story is written down, and nothing else is", () => {
  const paths = Object.keys(stories).map(storyPath);
  const folder = join(import.meta.dir, "../testdata/stories");
  expect(
    readdirSync(folder)
      .map((file) => join(folder, file))
      .sort(),
  ).toEqual(paths.sort());
});

function sizeOf({ actions, outages, floods, programs }: Scenario): number {
  return actions.length + outages.length + floods.length + programs.length;
}
