import { describe, expect, test } from "bun:test";
import type { SignalSource } from "../runtime.ts";
import { SignalFront } from "./signal-front.ts";

const SIGHUP = 1;
const SIGTERM = 15;

/** A front whose signals, target and clock are the test's. */
function stage() {
  const events: string[] = [];
  const clock = { nowMs: 1000 };
  let take: (signal: number) => void = () => undefined;
  let onChild = (): void => undefined;
  const signals: SignalSource = {
    open: (taker) => {
      take = taker;
    },
    onChild: (listener) => {
      onChild = listener;
    },
  };
  const front = new SignalFront({
    signals,
    log: { debug: (message) => void events.push(message) },
    onEnd: (signal) => void events.push(`end by ${signal}`),
    nowMs: () => clock.nowMs,
  });
  front.start(() => void events.push("child"));
  return {
    ...{ front, events, clock },
    send: (signal: number) => take(signal),
    endChild: () => onChild(),
  };
}

const target = (events: string[]) => ({
  forward: (signal: number) => void events.push(`forward ${signal}`),
  ended: new Promise<never>(() => undefined),
});

describe("signals", () => {
  test("go to the program, before a line is logged", () => {
    const { front, events, send } = stage();
    front.stands(target(events));
    for (const signal of [SIGHUP, SIGTERM, 17, 28, 64]) send(signal);
    expect(events).toEqual([
      "child",
      ...["forward 1", "forwarded SIGHUP", "forward 15", "forwarded SIGTERM"],
      ...["forward 17", "forwarded SIGCHLD", "forward 28", "forwarded SIGWINCH"],
      ...["forward 64", "forwarded signal 64"],
    ]);
  });

  test("go to nothing once the program is released", () => {
    const { front, events, send } = stage();
    front.stands(target(events));
    expect(front.target).toBeDefined();
    front.stands(undefined);
    send(SIGHUP);
    expect(events).toEqual(["child", "end by 1", "forwarded SIGHUP"]);
    expect(front.target).toBeUndefined();
  });

  test("end the wrapper if no program runs, if they would end a program", () => {
    const { events, send } = stage();
    for (let signal = 1; signal <= 31; signal += 1) send(signal);
    const ends = events.filter((event) => event.startsWith("end by "));
    // signal(7): the default action is Term or Core, except for SIGKILL and faults.
    const term = [1, 2, 3, 10, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30];
    expect(ends).toEqual(term.map((signal) => `end by ${signal}`));
  });

  test("of children are reported, once for those that ended before", () => {
    const { events, endChild } = stage();
    endChild();
    expect(events).toEqual(["child", "child"]);
  });
});

describe("the end that was asked for", () => {
  test("begins with the first SIGTERM", () => {
    const { front, clock, send } = stage();
    send(SIGHUP);
    expect([front.stopping, front.stoppingForMs]).toEqual([false, 0]);
    send(SIGTERM);
    clock.nowMs = 1300;
    send(SIGTERM);
    clock.nowMs = 1500;
    expect([front.stopping, front.stoppingForMs]).toEqual([true, 500]);
  });
});
