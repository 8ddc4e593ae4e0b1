import { expect, test } from "bun:test";
import type { PumpedEvent } from "./event-pump.ts";
import { pumpEvents } from "./pump-events.ts";

interface Turn {
  readonly reads: number;
  readonly isSettled: boolean;
  readonly hasMore?: true;
}

const idle: Turn = { reads: 0, isSettled: true };

/** Plays turns until there are no more, and tells in which of them the pump waited for a record. */
async function play(turns: readonly Turn[]) {
  const controller = new AbortController();
  const waits: number[] = [];
  let reports = 0;
  const steps: string[] = [];
  let at = -1;
  let read = 0;
  const pump = {
    turn: (): readonly PumpedEvent[] => {
      at += 1;
      read += turns[at]?.reads ?? 0;
      if (at >= turns.length - 1) controller.abort();
      return [];
    },
    finish: () => [],
    release: () => void steps.push("release"),
    counts: () => ({ read: { violations: read, everything: 0 }, unreadable: 0 }),
    get isSettled() {
      return turns[at]?.isSettled ?? true;
    },
    get hasMore() {
      return turns[at]?.hasMore === true;
    },
  };
  const reporter = {
    report: () => {
      reports += 1;
      steps.push("report");
    },
  };
  const untilReadable = async (signal: AbortSignal) => {
    if (!signal.aborted) waits.push(at);
  };
  await pumpEvents(pump, reporter, { signal: controller.signal, untilReadable });
  return { waits, reports, steps };
}

test("the agent waits for a record if there are none", async () => {
  expect((await play([idle, idle, idle, idle, idle])).waits).toEqual([0, 2]);
});

test("it looks again by itself as long as records come, or sums are left", async () => {
  const turns: readonly Turn[] = [
    { reads: 3, isSettled: false },
    { reads: 2, isSettled: true },
    { reads: 0, isSettled: false },
    idle,
    { reads: 1, isSettled: true },
    idle,
    idle,
  ];
  expect((await play(turns)).waits).toEqual([3, 5]);
});

test("it goes on at once while the ring has more", async () => {
  const full: Turn = { reads: 64, isSettled: false, hasMore: true };
  expect((await play([full, full, idle, idle, idle, idle])).waits).toEqual([2, 4]);
});

test("it gives events back to the kernel only when they are reported", async () => {
  expect((await play([idle, idle])).steps).toEqual(Array(3).fill(["report", "release"]).flat());
});

test("it reports each turn, and the rest at the end", async () => {
  expect((await play([idle, idle])).reports).toBe(3);
});
