import { describe, expect, test } from "bun:test";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { sleeps } from "../../testdata/traced-machine/program.ts";
import {
  leadIntoRegion,
  play,
  processOf,
  type Scene,
  startsChild,
} from "../../testdata/traced-machine/scene.ts";
import { LISTENER_FD, SIGNALS_FD } from "../../testdata/traced-machine/state.ts";
import type { Process } from "../../testdata/traced-machine/thread.ts";
import { childSignalsIfPossible, OneGo, type OneGoOptions } from "./one-go.ts";

/** A traced child that will stop as often as it is interrupted, and notes of each call. */
function runOn(machine: TracedMachine, changes: Partial<OneGoOptions> = {}) {
  const child = machine.startChild(sleeps);
  child.leader.program = sleeps();
  child.leader.traced = 0;
  child.isAnnounced = true;
  machine.run();
  machine.childSignal = false;
  const notes: string[] = [];
  const oneGo = new OneGo({
    signals: SIGNALS_FD,
    listener: LISTENER_FD,
    isTraced: () => true,
    isPreparing: () => false,
    asks: () => false,
    takeRequest: (limitMs) => void notes.push(`request ${limitMs}`),
    onStop: ({ event }) => {
      notes.push(`stop ${event}`);
      child.leader.stop = undefined;
    },
    reap: () => void notes.push("reap"),
    ...changes,
  });
  return { child, notes, run: () => oneGo.run(child.pid) };
}

const stops = ({ leader }: Process) => {
  leader.isInterrupted = true;
};

describe("a program that is prepared in one go", () => {
  test("is left alone if it is not traced", () => {
    using machine = new TracedMachine();
    const { child, notes, run } = runOn(machine, { isTraced: () => false });
    stops(child);
    run();
    expect(notes).toEqual([]);
  });

  test("has its stop taken, and nothing else is waited for", () => {
    using machine = new TracedMachine();
    const { child, notes, run } = runOn(machine);
    stops(child);
    const before = machine.nowMs;
    run();
    expect([notes, machine.nowMs]).toEqual([["stop 128"], before]);
  });

  test("is left to the event loop if its stop does not come soon", () => {
    using machine = new TracedMachine();
    const { notes, run } = runOn(machine, { asks: () => true, isPreparing: () => true });
    const before = machine.nowMs;
    run();
    expect([notes, machine.nowMs - before]).toEqual([[], 2]);
  });

  test("has its request answered", () => {
    using machine = new TracedMachine();
    const { child, notes, run } = runOn(machine, { asks: () => true });
    stops(child);
    run();
    expect(notes).toEqual(["stop 128", "request 2"]);
  });

  test("has its second stop taken if its tracer waits for the end", () => {
    using machine = new TracedMachine();
    const isPreparing = () => {
      stops(child);
      return true;
    };
    const { child, notes, run } = runOn(machine, { isPreparing });
    stops(child);
    run();
    expect(notes).toEqual(["stop 128", "stop 128"]);
  });

  test("has others looked at if it took a SIGCHLD that may be theirs", () => {
    using machine = new TracedMachine();
    const { notes, run } = runOn(machine);
    machine.childSignal = true;
    run();
    expect(notes).toEqual(["reap"]);
    run();
    expect(notes).toEqual(["reap"]);
  });

  test("is not begun while another one is", () => {
    using machine = new TracedMachine();
    let inner: () => void = () => undefined;
    const { child, notes, run } = runOn(machine, { takeRequest: () => inner(), asks: () => true });
    inner = run;
    stops(child);
    run();
    expect(notes).toEqual(["stop 128"]);
    stops(child);
    run();
    expect(notes).toEqual(["stop 128", "stop 128"]);
  });

  test("may be begun again after an error", () => {
    using machine = new TracedMachine();
    let fails = true;
    const takeRequest = () => {
      if (fails) throw new Error("on purpose");
    };
    const { child, notes, run } = runOn(machine, { takeRequest, asks: () => true });
    stops(child);
    expect(run).toThrow("on purpose");
    fails = false;
    stops(child);
    run();
    expect(notes).toEqual(["stop 128", "stop 128"]);
  });
});

describe("a started program that is ordinary", () => {
  const rows: readonly (readonly [name: string, scene: Scene])[] = [
    ["by itself", {}],
    ["on the page that it begins in", { region: { slotBytes: 4096 } }],
  ];
  for (const [name, scene] of rows) {
    test(`is prepared ${name} in one turn of the event loop`, () => {
      const prepare = (machine: TracedMachine) => {
        machine.isQuick = true;
      };
      using life = play({ ...scene, prepare, follow: "notify", steps: [startsChild] });
      expect(leadIntoRegion(processOf(life))).toBe(true);
      expect(life.turns).toBe(1);
    });
  }
});

describe("the descriptor that hears of SIGCHLD", () => {
  test("is there", () => {
    using _ = new TracedMachine();
    expect(childSignalsIfPossible()).toBe(SIGNALS_FD);
  });

  test("is undefined at a limit", () => {
    using machine = new TracedMachine();
    machine.plan = refusesAll("syscall signalfd4", 24);
    expect(childSignalsIfPossible()).toBeUndefined();
  });

  test("is not undefined for a mistake", () => {
    using machine = new TracedMachine();
    machine.plan = () => {
      throw new TypeError("on purpose");
    };
    expect(() => childSignalsIfPossible()).toThrow("on purpose");
  });
});
