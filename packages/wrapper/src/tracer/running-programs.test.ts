import { describe, expect, test } from "bun:test";
import { definesEnviron } from "../../testdata/traced-machine/elf-files.ts";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import { environVariable, scratch } from "../../testdata/traced-machine/load-program.ts";
import { type Action, doing, sleeps } from "../../testdata/traced-machine/program.ts";
import {
  beginningOf,
  play,
  proceed,
  processOf,
  type Scene,
  secrets,
  startsChild,
} from "../../testdata/traced-machine/scene.ts";
import { endProcess } from "../../testdata/traced-machine/stops.ts";
import { type Process, Thread } from "../../testdata/traced-machine/thread.ts";
import { fill, type TracedLife } from "../../testdata/traced-machine/traced-life.ts";

const SLOT_BYTES = 4096;
const TEXT = 0x40_1000;
const notify: Scene = { follow: "notify", region: { slotBytes: SLOT_BYTES } };
const trace: Scene = { follow: "trace", region: { slotBytes: SLOT_BYTES } };
const ways = { announced: notify, traced: trace } as const;
const changed = { DB_PASSWORD: "another-one-1", API_KEY: "9876543210" };
const next = { generation: 1, offsets: { DB_PASSWORD: SLOT_BYTES, API_KEY: SLOT_BYTES + 26 } };
const threads: readonly Action[] = [
  { kind: "thread", child: sleeps },
  { kind: "thread", child: sleeps },
];

/** Writes the new values, and points every program at them. */
function repoint(life: TracedLife) {
  fill(life.machine, changed, SLOT_BYTES);
  const outcomes = life.tracer.repoint(next);
  life.machine.run();
  return outcomes;
}

/** The state letters of its threads, and whether this process still traces them. */
function statesOf({ threads }: Process) {
  return threads.map(({ state, traced }) => `${state}${traced === undefined ? "" : " traced"}`);
}

for (const [way, scene] of Object.entries(ways)) {
  describe(`a running program that is ${way}`, () => {
    test("has its variables led to the new values, and runs on", () => {
      using life = play({ ...scene, steps: threads });
      const { courier } = life;
      const before = statesOf(courier);
      const [found, ...others] = repoint(life);
      expect(others).toEqual([]);
      expect(found?.outcome).toMatchObject({ kind: "repointed", count: 2, of: 2 });
      expect(courier.variables).toMatchObject(changed);
      expect(statesOf(courier)).toEqual(before);
      expect(life.tracer.placement).toMatchObject(next);
      expect(life.tracer.catchUp()).toBe(1);
    });

    test("keeps a variable that it has changed itself", () => {
      using life = play(scene);
      const { memory, slots } = life.courier;
      memory.write(scratch, new TextEncoder().encode("API_KEY=own\0"));
      memory.setWord(slots + 16, BigInt(scratch));
      const [found] = repoint(life);
      expect(found?.outcome).toMatchObject({ kind: "repointed", count: 1, of: 2 });
      expect(life.courier.variables).toMatchObject({ ...changed, API_KEY: "own" });
      expect(life.tracer.placement?.offsets).toEqual({ DB_PASSWORD: SLOT_BYTES });
    });

    test("is pointed at a generation without one of its variables as far as it has them", () => {
      using life = play(scene);
      fill(life.machine, changed, SLOT_BYTES);
      const [found] = life.tracer.repoint({ generation: 1, offsets: { DB_PASSWORD: SLOT_BYTES } });
      expect(found?.outcome).toMatchObject({ count: 1, of: 2 });
      expect(life.courier.variables).toMatchObject({ ...secrets, DB_PASSWORD: "another-one-1" });
    });

    test("and the programs that it has started and forked are led there together", () => {
      const steps = [startsChild, { kind: "fork", child: sleeps } as const];
      using life = play({ ...scene, steps });
      const outcomes = repoint(life);
      expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(
        outcomes.map(() => "repointed" as const),
      );
      const pids = [...life.machine.processes.keys()].toSorted();
      expect(outcomes.map(({ pid }) => pid).toSorted()).toEqual(pids);
      for (const process of life.machine.living) {
        expect(process.variables).toMatchObject(changed);
      }
    });

    test("starts programs with the new values from then on", () => {
      using life = play(scene);
      repoint(life);
      proceed(life, life.courier, startsChild);
      expect(beginningOf(life).variables).toMatchObject(changed);
      expect(life.tracer.catchUp()).toBe(1);
    });

    test("starts programs with the new values although it hands on copies of the first", () => {
      using life = play(scene);
      repoint(life);
      const child = doing({ kind: "execute", path: "/bin/child", environment: secrets });
      proceed(life, life.courier, { kind: "fork", child });
      expect(beginningOf(life).variables).toMatchObject(changed);
    });

    test("is gone if it has ended", () => {
      using life = play(scene);
      endProcess(life.machine, life.courier, { signal: 9 });
      expect(life.tracer.repoint(next)).toEqual([
        { pid: life.courier.pid, outcome: { kind: "gone" } },
      ]);
      expect(life.tracer.placement).toBeUndefined();
      expect(life.tracer.catchUp()).toBe(0);
    });

    test("that is killed before any call is gone or complete, and nothing stands", () => {
      using base = play({ ...scene, steps: threads });
      const start = base.machine.calls.length;
      repoint(base);
      const count = base.machine.calls.length - start;
      expect(count).toBeGreaterThan(20);
      base[Symbol.dispose]();
      for (let at = 0; at < count; at += 1) {
        using life = play({ ...scene, steps: threads });
        const { machine, courier } = life;
        machine.plan = ({ index }) => {
          if (index === start + at) endProcess(machine, courier, { signal: 9 });
        };
        const [found] = repoint(life);
        expect([at, ["gone", "repointed"].includes(found?.outcome.kind ?? "")]).toEqual([at, true]);
        life.run();
        expect(life.tracer.catchUp()).toBe(0);
      }
    });
  });
}

test("a thread on a way of 20 ms is waited for, while the others stand", () => {
  using life = play({ ...notify, steps: [...threads, { kind: "dawdle" }] });
  const { courier, machine } = life;
  const arrivesAtMs = machine.nowMs + 20;
  let asked = 0;
  machine.plan = ({ name }) => {
    if (name === "ptrace INTERRUPT") asked += 1;
    if (machine.nowMs >= arrivesAtMs) courier.leader.wait = undefined;
  };
  expect(repoint(life)[0]?.outcome).toMatchObject({ kind: "repointed", count: 2 });
  expect(asked).toBe(3);
});

describe("a program that cannot be stopped now", () => {
  const rows: readonly (readonly [name: string, step: Action, reason: RegExp])[] = [
    ["waits for a disk", { kind: "wait in the kernel" }, /^thread \d+ waits in the kernel$/],
    ["waits for its vfork", { kind: "vfork", child: sleeps }, /^thread \d+ waits in the kernel$/],
    ["is on a long way in the kernel", { kind: "dawdle" }, /^thread \d+ does not stop$/],
  ];
  for (const [name, step, reason] of rows) {
    test(`as it ${name} keeps its values until it can be`, () => {
      using life = play({ ...notify, steps: [...threads, step] });
      const { courier, machine } = life;
      const before = machine.nowMs;
      const outcomes = repoint(life);
      expect(outcomes).toEqual([
        {
          pid: courier.pid,
          outcome: { kind: "busy", reason: expect.stringMatching(reason) },
        },
      ]);
      // Simulated time: it is the same on each machine.
      expect(machine.nowMs - before).toBeGreaterThanOrEqual(200);
      expect(machine.nowMs - before).toBeLessThan(300);
      expect(courier.variables).toMatchObject(secrets);
      // Generation 0 is never overwritten.
      expect(life.tracer.catchUp()).toBe(0);
      expect(statesOf(courier).slice(1)).toEqual(["S", "S"]);
      for (const [pid, child] of machine.processes) {
        if (pid !== courier.pid) endProcess(machine, child, { code: 0 });
      }
      courier.leader.wait = undefined;
      life.run();
      expect(statesOf(courier)).toEqual(["S", "S", "S"]);
      expect(repoint(life)[0]?.outcome.kind).toBe("repointed");
      expect(courier.variables).toMatchObject(changed);
    });
  }

  test("is pointed at the last generation as soon as it can be", () => {
    using life = play(notify);
    const { courier, machine } = life;
    repoint(life);
    courier.leader.wait = { kind: "disk" };
    const offsets = { DB_PASSWORD: 0, API_KEY: 28 };
    expect(life.tracer.repoint({ generation: 2, offsets })[0]?.outcome.kind).toBe("busy");
    expect(life.tracer.catchUp()).toBe(1);
    courier.leader.wait = { kind: "sleep" };
    expect(life.tracer.catchUp()).toBe(2);
    expect(courier.variables).toMatchObject(secrets);
    machine.run();
    expect(statesOf(courier)).toEqual(["S"]);
  });

  test("as it starts threads all the time keeps its values", () => {
    using life = play(notify);
    const { courier, machine } = life;
    machine.plan = ({ name }) => {
      if (name !== "open task") return;
      machine.nowMs += 10;
      const { registers } = courier.leader;
      const thread = new Thread(courier, machine.newPid(), registers.slice());
      thread.program = sleeps();
      courier.threads.push(thread);
    };
    expect(repoint(life)[0]?.outcome).toEqual({
      kind: "busy",
      reason: "it starts threads faster than they can be stopped",
    });
    expect(new Set(statesOf(courier))).toEqual(new Set(["S"]));
  });

  test("as another process traces it keeps its values", () => {
    using life = play(notify);
    life.courier.tracer = 4711;
    expect(repoint(life)[0]?.outcome).toEqual({
      kind: "not permitted",
      reason: "ptrace: EPERM: process 4711 traces it",
    });
    expect(life.courier.variables).toMatchObject(secrets);
  });

  test("as the kernel forbids it keeps its values", () => {
    using life = play({ ...notify, steps: threads });
    const { courier, machine } = life;
    machine.plan = (call) => {
      if (call.tid === courier.threads[1]?.tid) refusesAll("ptrace SEIZE", 1)(call);
    };
    expect(repoint(life)[0]?.outcome).toEqual({ kind: "not permitted", reason: "ptrace: EPERM" });
    expect(statesOf(courier)).toEqual(["S", "S", "S"]);
    expect(courier.variables).toMatchObject(secrets);
  });
});

test("a program whose first thread has ended is stopped by the others", () => {
  using life = play({ ...notify, steps: [...threads, { kind: "end thread" }] });
  expect(repoint(life)[0]?.outcome).toMatchObject({ kind: "repointed", count: 2 });
  expect(life.courier.variables).toMatchObject(changed);
});

describe("a program that has moved its environment", () => {
  const rows: readonly (readonly [name: string, contents: Uint8Array])[] = [
    ["at a fixed address", definesEnviron(environVariable, true)],
    ["anywhere", definesEnviron(environVariable - TEXT, false)],
  ];
  for (const [name, contents] of rows) {
    test(`has its variables found, if it is loaded ${name}`, () => {
      using life = play({ ...notify, server: { contents } });
      moveEnvironment(life.courier);
      expect(repoint(life)[0]?.outcome).toMatchObject({ count: 2, of: 2 });
      expect(life.courier.variables).toMatchObject({ ...changed, NEW: "1" });
    });
  }

  test("has its variables found by its C library", () => {
    using life = play(notify);
    const { courier, machine } = life;
    const start = environVariable - 0x1000;
    courier.memory.map({
      ...{ start, bytes: new Uint8Array(4096), isShared: false },
      path: "/lib/libc.so.6",
    });
    machine.addFile("/lib/libc.so.6", { contents: definesEnviron(0x1000, false) });
    moveEnvironment(courier);
    expect(repoint(life)[0]?.outcome).toMatchObject({ count: 2 });
    expect(courier.variables).toMatchObject({ ...changed, NEW: "1" });
  });

  test("is taken as it was, if it does not name the variable", () => {
    using life = play(notify);
    moveEnvironment(life.courier);
    expect(repoint(life)[0]?.outcome).toMatchObject({ count: 2 });
    expect(life.courier.variables).toMatchObject({ ...secrets, NEW: "1" });
  });

  test("has none any more, if it has cleared it", () => {
    const contents = definesEnviron(environVariable, true);
    using life = play({ ...notify, server: { contents } });
    life.courier.memory.setWord(environVariable, 0n);
    expect(repoint(life)[0]?.outcome).toMatchObject({ kind: "repointed", count: 0, of: 2 });
  });
});

test("most of many programs that have ended are forgotten, and those that live are not", () => {
  const ends: Scene["child"] = { behavior: doing({ kind: "exit", code: 0 }) };
  const many = Array.from({ length: 150 }, () => startsChild);
  using life = play({ ...notify, child: ends, steps: many });
  const outcomes = repoint(life);
  expect(outcomes.length).toBeLessThan(70);
  expect(outcomes.map(({ pid }) => pid)).toContain(life.courier.pid);
  expect(life.courier.variables).toMatchObject(changed);
  expect(() => processOf(life)).not.toThrow();
});

/** As setenv(3) of a new variable does it: copies the slots, and points `environ` at them. */
function moveEnvironment(process: Process): void {
  const { memory } = process;
  memory.write(scratch, new TextEncoder().encode("NEW=1\0"));
  const moved = scratch + 64;
  memory.setWords(moved, [...memory.pointers(process.slots), scratch, 0]);
  memory.setWord(environVariable, BigInt(moved));
  process.slots = moved;
}
