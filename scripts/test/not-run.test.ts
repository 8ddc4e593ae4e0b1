import { describe, expect, test } from "bun:test";
import { describeNotRun, forbidsSkipped, hasTested } from "./not-run.ts";

describe("a step has tested", () => {
  const rows = [
    { what: "tests that passed", passed: 2, skipped: 0, asRoot: true, ordinary: true },
    {
      what: "tests of which some were skipped",
      passed: 1,
      skipped: 1,
      asRoot: true,
      ordinary: true,
    },
    { what: "tests that were all skipped", passed: 0, skipped: 3, asRoot: false, ordinary: true },
    { what: "no test", passed: 0, skipped: 0, asRoot: false, ordinary: false },
  ] as const;
  for (const { what, passed, skipped, asRoot, ordinary } of rows) {
    test(`with ${what}: as root ${asRoot}, as an ordinary user ${ordinary}`, () => {
      const totals = { passed, failed: 0, skipped };
      expect([hasTested(totals, true), hasTested(totals, false)]).toEqual([asRoot, ordinary]);
    });
  }
});

describe("a skipped test", () => {
  for (const [asRoot, skipped, isForbidden] of [
    [true, 1, true],
    [true, 0, false],
    [false, 1, false],
  ] as const) {
    test(`of ${skipped} fails the run of ${asRoot ? "root" : "a user"}: ${isForbidden}`, () => {
      expect(forbidsSkipped({ passed: 5, failed: 0, skipped }, asRoot)).toBe(isForbidden);
    });
  }
});

describe("the tests that were not run", () => {
  const step = (name: string, skipped: number) => ({
    name,
    totals: { passed: 1, failed: 0, skipped },
  });
  const rows = [
    { what: "nothing", steps: [step("unit tests", 0)], said: undefined },
    {
      what: "one test",
      steps: [step("unit tests", 1)],
      said: "1 test was not run: it needs root (sudo make test runs it): unit tests 1",
    },
    {
      what: "tests of several steps, the most first",
      steps: [step("unit tests", 9), step("lifecycle", 0), step("any image", 164)],
      said:
        "173 tests were not run: they need root (sudo make test runs them): " +
        "any image 164, unit tests 9",
    },
  ] as const;
  for (const { what, steps, said } of rows) {
    test(`is said of ${what}`, () => expect(describeNotRun(steps, "test")).toBe(said));
  }
});
