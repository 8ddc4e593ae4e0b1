import { expect, test } from "bun:test";
import type { RecordVisitor } from "@svc/kernel";
import { attemptBy, EVENT_BYTES } from "../testdata/attempt-record.ts";
import { EventPump } from "./event-pump.ts";

/** A ring whose records stay until they are released, as those of the kernel do. */
function ringOf(pids: readonly number[]) {
  let waiting = pids;
  let read = 0;
  return {
    left: () => waiting.length,
    read: (visit: RecordVisitor, isEnough: () => boolean): number => {
      read = 0;
      for (const pid of waiting) {
        visit(attemptBy(pid), 0, EVENT_BYTES);
        read += 1;
        if (isEnough()) break;
      }
      return read;
    },
    release: () => {
      waiting = waiting.slice(read);
      read = 0;
    },
  };
}

const numbers = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

function pumpOf(pids: readonly number[]) {
  const violations = ringOf(pids);
  const pump = new EventPump({ violations, everything: { drain: () => 0 } });
  const pidsOf = (events: ReturnType<EventPump["turn"]>) =>
    events.map(({ event }) => event.actor.pid);
  return { violations, pump, pidsOf };
}

test("a turn has a portion of the violations, and says that there are more", () => {
  const { pump, pidsOf } = pumpOf(numbers(1, 100));
  expect([pidsOf(pump.turn()), pump.hasMore]).toEqual([numbers(1, 64), true]);
  pump.release();
  expect([pidsOf(pump.turn()), pump.hasMore]).toEqual([numbers(65, 100), false]);
  expect(pump.counts().read.violations).toBe(100);
});

test("violations that were not reported are left to the next agent", () => {
  const { violations, pump, pidsOf } = pumpOf(numbers(1, 3));
  expect(pidsOf(pump.turn())).toEqual([1, 2, 3]);
  // An agent that is killed here has lost none of them.
  expect(violations.left()).toBe(3);
  pump.release();
  expect(violations.left()).toBe(0);
});

test("the last turn has all of them", () => {
  const { pump, pidsOf } = pumpOf(numbers(1, 100));
  expect(pidsOf(pump.finish())).toEqual(numbers(1, 100));
});
