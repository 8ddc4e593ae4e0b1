import { describe, expect, test } from "bun:test";
import { type ElectionView, electionStep, observe } from "./election-step.ts";
import type { LeaseRecord } from "./lease.ts";

const LATER = "2026-01-01T00:00:10.000000Z";
const others: LeaseRecord = {
  holder: "other",
  durationMs: 15_000,
  transitions: 3,
  acquireTime: "2026-01-01T00:00:00.000000Z",
  renewTime: "2026-01-01T00:00:05.000000Z",
};
const mine = { holder: "me", durationMs: 15_000, renewTime: LATER };
const claimed = { ...mine, transitions: 4, acquireTime: LATER };

const view = (record: LeaseRecord | undefined, more: Partial<ElectionView> = {}): ElectionView => ({
  lease: record && { resourceVersion: "1", record },
  observation: record && { record, sinceMs: 1000 },
  identity: "me",
  nowMs: 15_999,
  nowText: LATER,
  durationMs: 15_000,
  ...more,
});
const write = (record: LeaseRecord) => ({ kind: "write", record }) as const;
const left = { kind: "leave", holder: "other" } as const;

describe("a candidate", () => {
  const rows: readonly (readonly [string, ElectionView, ReturnType<typeof electionStep>])[] = [
    [
      "makes a lease that is not there",
      view(undefined),
      write({ ...mine, transitions: 0, acquireTime: LATER }),
    ],
    [
      "takes a free one",
      view({ ...others, holder: undefined }),
      write({ ...mine, transitions: 4, acquireTime: LATER }),
    ],
    [
      "takes an empty one, as a chart makes it",
      view({
        holder: undefined,
        durationMs: undefined,
        transitions: 0,
        acquireTime: undefined,
        renewTime: undefined,
      }),
      write({ ...mine, transitions: 1, acquireTime: LATER }),
    ],
    [
      "renews its own and keeps since when it has it",
      view({ ...others, holder: "me" }),
      write({ ...mine, transitions: 3, acquireTime: "2026-01-01T00:00:00.000000Z" }),
    ],
    ["leaves a valid one to its holder", view(others), left],
    [
      "takes one whose record has not changed for its time",
      view(others, { nowMs: 16_000 }),
      write(claimed),
    ],
    [
      "goes by the time that the holder has written, not by its own",
      view({ ...others, durationMs: 60_000 }, { nowMs: 60_999 }),
      left,
    ],
    [
      "goes by its own if the holder has written none",
      view({ ...others, durationMs: undefined }, { nowMs: 16_000 }),
      write(claimed),
    ],
    [
      "does not look at the clock of the holder",
      view({ ...others, renewTime: "1999-01-01T00:00:00.000000Z" }),
      left,
    ],
    [
      "leaves one that it sees for the first time",
      view(others, { observation: undefined, nowMs: 1e9 }),
      left,
    ],
  ];
  for (const [name, given, step] of rows) {
    test(name, () => expect(electionStep(given)).toEqual(step));
  }
});

test("a record is as old as its last change", () => {
  const first = observe(undefined, others, 10);
  expect(first.sinceMs).toBe(10);
  expect(observe(first, { ...others }, 20)).toBe(first);
  expect(observe(first, { ...others, renewTime: LATER }, 20).sinceMs).toBe(20);
});
