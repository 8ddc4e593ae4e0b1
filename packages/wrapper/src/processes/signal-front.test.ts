import { describe, expect, test } from "bun:test";
import type { ArrivedSignal, SignalSource } from "../runtime.ts";
import { SignalFront } from "./signal-front.ts";

const SIGHUP = 1;
const SIGTERM = 15;

/** A front whose signals, target and clock are the test's. */
function stage(stopSignal = SIGTERM) {
  const events: string[] = [];
  const clock = { nowMs: 1000 };
  let take: (arrived: ArrivedSignal) => void = () => undefined;
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
    stopSignal,
    log: { debug: (message) => void events.push(message) },
    onEnd: (signal) => void events.push(`end by ${signal}`),
    nowMs: () => clock.nowMs,
  });
  front.start(() => void events.push("child"));
  return {
    ...{ front, events, clock },
    send: (signal: number, from: ArrivedSignal["from"] = "process") =>
      take({ signal, from, value: undefined }),
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
      ...["forward 64", "forwarded SIGRTMIN+30"],
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
    for (let signal = 1; signal <= 64; signal += 1) send(signal);
    const ends = events.filter((event) => event.startsWith("end by "));
    // signal(7): the default action is Term or Core, except for SIGKILL and faults.
    const standard = [1, 2, 3, 10, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30];
    const term = [...standard, ...Array.from({ length: 33 }, (_, index) => 32 + index)];
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

  for (const stopSignal of [2, 3, 10, 28, 37]) {
    test(`begins with signal ${stopSignal} if that is the stop signal`, () => {
      const { front, send } = stage(stopSignal);
      send(SIGHUP);
      expect(front.stopping).toBe(false);
      send(stopSignal);
      expect(front.stopping).toBe(true);
    });
  }

  test("reaches the program as its stop signal", () => {
    const { front, events, send } = stage(2);
    front.stands(target(events));
    send(SIGTERM);
    expect(events).toEqual(["child", "forward 2", "forwarded SIGTERM as SIGINT"]);
  });

  test("ends a wrapper without a program, also by a stop signal that ends no program", () => {
    const { events, send } = stage(28);
    send(28);
    expect(events).toEqual(["child", "end by 28", "forwarded SIGWINCH"]);
  });
});

describe("a signal from outside of the PID namespace", () => {
  test("is remembered with its time", () => {
    const { front, clock, send } = stage();
    send(3, "process");
    send(2, "kernel");
    expect(front.fromOutside).toBeUndefined();
    send(3, "outside");
    clock.nowMs = 1400;
    expect(front.fromOutside).toEqual({ signal: 3, agoMs: 400 });
    expect(front.stopping).toBe(false);
  });
});
