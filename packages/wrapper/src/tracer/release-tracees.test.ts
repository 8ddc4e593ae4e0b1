import { describe, expect, test } from "bun:test";
import {
  type Action,
  doing,
  doingThenSleeping,
  sleeps,
} from "../../testdata/traced-machine/program.ts";
import { play, proceed, type Scene, startsChild } from "../../testdata/traced-machine/scene.ts";
import { endProcess } from "../../testdata/traced-machine/stops.ts";
import type { TracedLife } from "../../testdata/traced-machine/traced-life.ts";

const trace: Scene = { follow: "trace" };
/** A child that goes on once it is released, and its parent with it. */
const lateChild: Action = {
  kind: "vfork",
  child: doing({ kind: "sleep" }, { kind: "execute", path: "/bin/child" }),
};

/** The state letters of all living threads; those that are traced have a mark. */
function states({ machine }: TracedLife): readonly string[] {
  return machine.living.flatMap(({ threads }) =>
    threads.map(({ state, traced }) => `${state}${traced === undefined ? "" : " traced"}`),
  );
}

function release(life: TracedLife): void {
  life.tracer.releaseAll();
  life.machine.run();
}

describe("releaseAll", () => {
  const rows: readonly (readonly [name: string, steps: readonly Action[]])[] = [
    ["a program alone", []],
    ["its programs", [startsChild, startsChild]],
    ["its threads", [{ kind: "thread", child: sleeps }]],
    ["a child in vfork and its parent", [lateChild]],
  ];
  for (const [name, steps] of rows) {
    test(`lets go of ${name}, which live on untraced`, () => {
      using life = play({ ...trace, steps });
      expect(states(life).every((state) => state.endsWith("traced"))).toBe(true);
      release(life);
      expect(states(life).some((state) => state.endsWith("traced"))).toBe(false);
      expect(states(life).some((state) => state.startsWith("t"))).toBe(false);
      expect(life.machine.living.length).toBeGreaterThan(0);
    });
  }

  test("lets go of a process that has just been forked", () => {
    using life = play(trace);
    const { courier, machine } = life;
    courier.leader.program = doingThenSleeping({ kind: "fork", child: sleeps })(courier);
    courier.leader.wait = undefined;
    release(life);
    expect(machine.living).toHaveLength(2);
    expect(states(life)).toEqual(["S", "S"]);
  });

  test("hands on the signal that a process stands with", () => {
    using life = play(trace);
    const { courier } = life;
    courier.handlers.add(10);
    courier.leader.pending.push(10);
    release(life);
    expect(courier.leader.handled).toEqual([10]);
  });

  test("does not wait for one that has ended", () => {
    using life = play({ ...trace, steps: [startsChild] });
    const { machine, courier } = life;
    endProcess(machine, courier, { signal: 9 });
    const before = machine.nowMs;
    release(life);
    expect(machine.nowMs - before).toBeLessThan(100);
    expect(states(life)).toEqual(["S"]);
  });

  test("gives up after a second on one that does not stop", () => {
    using life = play({ ...trace, steps: [{ kind: "wait in the kernel" }] });
    const { machine } = life;
    const before = machine.nowMs;
    release(life);
    const tookMs = machine.nowMs - before;
    expect([tookMs >= 1000, tookMs < 1100]).toEqual([true, true]);
    expect(states(life)).toEqual(["D traced"]);
  });

  test("ends cleanly if a process is killed before any call", () => {
    const steps = [startsChild, lateChild];
    using base = play({ ...trace, steps });
    const start = base.machine.calls.length;
    release(base);
    const count = base.machine.calls.length - start;
    base[Symbol.dispose]();
    expect(count).toBeGreaterThan(8);
    for (let at = 0; at < count; at += 1) {
      for (const victim of [0, 1, 2]) {
        using life = play({ ...trace, steps });
        const { machine } = life;
        const process = [...machine.processes.values()][victim];
        machine.plan = ({ index }) => {
          if (index === start + at && process) endProcess(machine, process, { signal: 9 });
        };
        const before = machine.nowMs;
        release(life);
        const traced = states(life).filter((state) => state.endsWith("traced"));
        expect([at, victim, traced]).toEqual([at, victim, []]);
        expect(machine.nowMs - before).toBeLessThan(500);
      }
    }
  });

  test("leaves alone the programs of an announced one", () => {
    using life = play({ follow: "notify", steps: [startsChild] });
    const calls = life.machine.calls.length;
    life.tracer.releaseAll();
    expect(life.machine.calls.length).toBe(calls);
  });
});

describe("the promise `closed`", () => {
  const settled = (promise: Promise<void>) =>
    Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);

  for (const follow of ["off", "trace"] as const) {
    test(`is kept at once if the programs are followed by: ${follow}`, async () => {
      using life = play({ follow });
      expect(await settled(life.tracer.closed)).toBe(true);
    });
  }

  test("waits for the last process that the kernel announces", async () => {
    using life = play({ follow: "notify", steps: [startsChild] });
    const { machine, courier } = life;
    expect(await settled(life.tracer.closed)).toBe(false);
    endProcess(machine, courier, { code: 0 });
    life.run();
    expect(await settled(life.tracer.closed)).toBe(false);
    for (const process of machine.living) endProcess(machine, process, { code: 0 });
    life.run();
    expect(await settled(life.tracer.closed)).toBe(true);
    expect([machine.isListenerOpen, machine.hearsChildren]).toEqual([false, false]);
  });
});

describe("job control of a traced program", () => {
  const SIGTSTP = 20;
  const SIGCONT = 18;

  test("stops it, and continues it", () => {
    using life = play(trace);
    const { courier, machine } = life;
    courier.leader.pending.push(SIGTSTP);
    courier.leader.wait = undefined;
    life.run();
    expect(states(life)).toEqual(["t traced"]);
    expect(life.stoppedByJobControl).toBe(1);
    courier.handlers.add(SIGCONT);
    machine.signal(courier.pid, SIGCONT);
    life.run();
    expect(courier.leader.handled).toEqual([SIGCONT]);
    expect(states(life)).toEqual(["S traced"]);
  });

  test("of its child is its own matter", () => {
    using life = play({ ...trace, steps: [startsChild] });
    const child = [...life.machine.processes.values()][1];
    child?.leader.pending.push(SIGTSTP);
    life.run();
    expect(states(life)).toEqual(["S traced", "t traced"]);
    expect(life.stoppedByJobControl).toBe(0);
  });
});

test("a signal reaches a traced program as it would without its tracer", () => {
  using life = play(trace);
  const { courier } = life;
  courier.handlers.add(12);
  courier.leader.pending.push(12);
  proceed(life, courier);
  expect(courier.leader.handled).toEqual([12]);
  courier.leader.pending.push(15);
  proceed(life, courier);
  expect(courier.end).toEqual({ signal: 15 });
});

test("a traced program's end is noted, and its number may be another one's", () => {
  const ends: Scene["child"] = { behavior: doing({ kind: "exit", code: 3 }) };
  using life = play({ ...trace, child: ends, steps: [startsChild] });
  const [courier, child] = [...life.machine.processes.keys()];
  expect([life.tracer.knows(courier ?? 0), life.tracer.knows(child ?? 0)]).toEqual([true, false]);
});
