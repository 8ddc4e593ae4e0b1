import { describe, expect, test } from "bun:test";
import { definesEnviron } from "../../testdata/traced-machine/elf-files.ts";
import { environVariable } from "../../testdata/traced-machine/load-program.ts";
import type { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { type Action, doing, sleeps } from "../../testdata/traced-machine/program.ts";
import { play, type Scene, startsChild } from "../../testdata/traced-machine/scene.ts";
import { endProcess } from "../../testdata/traced-machine/stops.ts";
import { fill, type TracedLife } from "../../testdata/traced-machine/traced-life.ts";

const SLOT_BYTES = 4096;
const scene: Scene = { follow: "notify", region: { slotBytes: SLOT_BYTES } };
const changed = { DB_PASSWORD: "another-one-1", API_KEY: "9876543210" };
const offsets = { DB_PASSWORD: SLOT_BYTES, API_KEY: SLOT_BYTES + 26 };
const fork: Action = { kind: "fork", child: sleeps };

function repoint(life: TracedLife, generation = 1) {
  fill(life.machine, changed, SLOT_BYTES);
  const before = life.machine.calls.length;
  const outcomes = life.tracer.repoint({ generation, offsets });
  life.machine.run();
  return { outcomes, calls: life.machine.calls.slice(before) };
}

describe("a change of values", () => {
  test("writes each slot once", () => {
    const contents = definesEnviron(environVariable, true);
    using life = play({ ...scene, server: { contents } });
    const { calls } = repoint(life);
    expect(calls.filter((name) => name === "ptrace POKEDATA")).toHaveLength(2);
  });

  test("looks for the variable once, and waits for nothing", () => {
    using life = play({ ...scene, steps: [{ kind: "thread", child: sleeps }] });
    const before = life.machine.nowMs;
    const { calls } = repoint(life);
    expect(life.machine.nowMs).toBe(before);
    expect(calls.filter((name) => name === "ptrace SEIZE")).toHaveLength(2);
    expect(calls.filter((name) => name === "ptrace INTERRUPT")).toHaveLength(2);
    expect(calls.filter((name) => name === "ptrace DETACH")).toHaveLength(2);
  });

  test("passes over children of vfork while their parent is busy, and other forks not", () => {
    const vfork: Action = { kind: "vfork", child: sleeps };
    const parent: Action = { kind: "fork", child: doing(vfork) };
    using life = play({ ...scene, steps: [parent] });
    const { courier, machine } = life;
    const { outcomes } = repoint(life);
    const [, forked, vforked] = [...machine.processes.keys()];
    const kinds = Object.fromEntries(outcomes.map(({ pid, outcome }) => [pid, outcome.kind]));
    // The fork is busy itself; its child has other memory than the main program.
    expect(kinds).toEqual({
      [courier.pid]: "repointed",
      [forked ?? 0]: "busy",
      [vforked ?? 0]: "repointed",
    });
  });

  test("passes over children of a busy main program", () => {
    using life = play({ ...scene, steps: [{ kind: "vfork", child: sleeps }] });
    const { outcomes } = repoint(life);
    expect(outcomes.map(({ pid }) => pid)).toEqual([life.courier.pid]);
  });

  test("reaches the fork of a fork whose parent has ended", () => {
    using life = play({ ...scene, steps: [{ kind: "fork", child: doing(fork) }] });
    const { machine } = life;
    const [, parent, child] = [...machine.processes.values()];
    if (parent) endProcess(machine, parent, { code: 0 });
    life.run();
    const { outcomes } = repoint(life);
    expect(outcomes.some(({ pid }) => pid === child?.pid)).toBe(true);
    expect(child?.variables).toMatchObject(changed);
  });

  test("leaves alone a child that has none of the region", () => {
    using life = play(scene);
    const { machine } = life;
    const stranger = machine.startChild(sleeps);
    stranger.leader.program = sleeps();
    const { outcomes } = repoint(life);
    expect(outcomes.map(({ pid }) => pid)).toEqual([life.courier.pid]);
  });
});

describe("the earliest generation", () => {
  const busy = (life: TracedLife, isBusy: boolean) => {
    const { leader } = life.courier;
    leader.wait = isBusy ? { kind: "disk" } : { kind: "sleep" };
  };

  test("is 0 before the first change, and then that of the busiest program", () => {
    using life = play({ ...scene, steps: [startsChild] });
    expect(life.tracer.catchUp()).toBe(0);
    repoint(life);
    expect(life.tracer.catchUp()).toBe(1);
    busy(life, true);
    repoint(life, 2);
    expect(life.tracer.catchUp()).toBe(1);
    busy(life, false);
    expect(life.tracer.catchUp()).toBe(2);
  });

  test("is looked for without a stop if all have the last one", () => {
    using life = play(scene);
    repoint(life);
    const before = life.machine.calls.length;
    expect(life.tracer.catchUp()).toBe(1);
    const calls = life.machine.calls.slice(before);
    expect(calls.some((name) => name.startsWith("ptrace"))).toBe(false);
  });

  test("counts a program whose mappings may not be known", () => {
    using life = play(scene);
    repoint(life);
    life.courier.isClosed = true;
    expect(life.tracer.catchUp()).toBe(1);
    expect(life.tracer.placement).toBeDefined();
  });

  test("does not count another process that has got the number", () => {
    using life = play(scene);
    const { courier } = life;
    repoint(life);
    const region = courier.memory.segments.find(({ isShared }) => isShared);
    courier.memory.unmap(region?.start ?? 0);
    expect(life.tracer.catchUp()).toBe(0);
    expect(life.tracer.placement).toBeUndefined();
  });
});

test("programs of values that stay are not looked for again", () => {
  const prepare = (machine: TracedMachine) => {
    machine.hasVdso = false;
  };
  using life = play({ follow: "notify", prepare, steps: [startsChild] });
  const { outcomes } = repoint(life);
  expect(outcomes.map(({ pid }) => pid)).toEqual([life.courier.pid]);
});

test("the main program's new placement is known after it has executed itself", () => {
  const step: Action = { kind: "execute", path: "/bin/child" };
  using life = play({ follow: "notify", steps: [step] });
  const { slots, memory, environmentStart } = life.courier;
  expect(life.tracer.placement).toEqual({
    slotsAddress: slots,
    slotCount: 4,
    regionAddress: memory.segments.find(({ isShared }) => isShared)?.start ?? 0,
    offsets: { DB_PASSWORD: 0, API_KEY: 28 },
    generation: 0,
  });
  expect(life.told.at(-1)).toBe(BigInt(environmentStart));
});
