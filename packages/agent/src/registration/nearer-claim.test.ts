import { describe, expect, test } from "bun:test";
import { isOfAnother, nearerClaim } from "./nearer-claim.ts";
import type { ProcessFacts } from "./process-facts.ts";

const process = (pid: number): ProcessFacts => ({
  pid,
  parentPid: pid - 1,
  startTicks: pid,
  namespacePids: [pid],
  tracer: 0,
  cgroup: "/",
});
// A program, its parent, and the wrapper that claims it.
const line = [process(30), process(20), process(10)];

interface Situation {
  readonly processes?: Readonly<Record<number, bigint>>;
  readonly wrappers?: Readonly<Record<number, bigint>>;
  readonly markedBy?: bigint;
  /** Registrations whose wrappers are above the one that claims. */
  readonly above?: readonly bigint[];
}

describe("of two who claim a process, with registration 5 for the one that asks,", () => {
  const rows: readonly (readonly [
    name: string,
    situation: Situation,
    nearer: bigint | undefined,
  ])[] = [
    ["no other claim is nearer", {}, undefined],
    ["it has it already", { processes: { 30: 5n }, markedBy: 5n }, undefined],
    ["another wrapper stands between", { wrappers: { 20: 3n } }, 3n],
    ["it stands between itself, and another one above that", { wrappers: { 20: 5n } }, undefined],
    ["the one who asks was registered by another one", { processes: { 10: 3n } }, undefined],
    ["another one that stands between is not above", { wrappers: { 20: 3n }, above: [3n] }, 3n],
    ["the claimed one is a wrapper itself", { wrappers: { 30: 3n } }, undefined],
    ["the one who asks is a wrapper", { wrappers: { 10: 5n } }, undefined],
    ["it belongs to another user", { processes: { 30: 3n } }, 3n],
    [
      "the program belongs to a registration above",
      { processes: { 30: 3n }, above: [3n] },
      undefined,
    ],
    ["its parent belongs to another registration", { processes: { 20: 3n } }, 3n],
    ["it inherited the mark of another registration", { markedBy: 3n }, 3n],
    ["it inherited the mark of a registration above", { markedBy: 3n, above: [3n] }, undefined],
  ];
  for (const [name, { processes, wrappers, markedBy, above = [] }, nearer] of rows) {
    test(name, () => {
      const found = nearerClaim(
        { line, registration: 5n, markedBy },
        {
          ofProcess: ({ pid }) => processes?.[pid],
          ofWrapper: ({ pid }) => wrappers?.[pid],
          isAbove: (registration) => above.includes(registration),
        },
      );
      expect(found).toBe(nearer);
    });
  }
});

describe("a line of processes, with registration 5 for the one that asks,", () => {
  const rows: readonly (readonly [name: string, situation: Situation, isOthers: boolean])[] = [
    ["is nobody's", {}, false],
    ["is its own", { processes: { 30: 5n }, wrappers: { 10: 5n } }, false],
    ["has another wrapper", { processes: { 30: 5n }, wrappers: { 20: 3n } }, true],
    ["has a process of another wrapper", { processes: { 30: 3n }, wrappers: { 10: 5n } }, true],
  ];
  for (const [name, { processes, wrappers }, isOthers] of rows) {
    test(name, () => {
      const known = {
        ofProcess: ({ pid }: ProcessFacts) => processes?.[pid],
        ofWrapper: ({ pid }: ProcessFacts) => wrappers?.[pid],
      };
      expect(isOfAnother(line, 5n, known)).toBe(isOthers);
    });
  }
});
