import { describe, expect, test } from "bun:test";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import type { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { type Action, doing, doingThenSleeping } from "../../testdata/traced-machine/program.ts";
import {
  leadIntoRegion,
  play,
  processOf,
  type Scene,
  startsChild,
} from "../../testdata/traced-machine/scene.ts";
import { endProcess } from "../../testdata/traced-machine/stops.ts";

const missing: Action = { kind: "execute", path: "/bin/missing" };
const looks: Action = { kind: "fork", child: doingThenSleeping(missing) };
const notify: Scene = { follow: "notify" };

describe("a thread whose execve fails", () => {
  test("is released a second later, and not before", () => {
    const times: number[] = [];
    const prepare = (machine: TracedMachine) => {
      machine.plan = ({ name, tid }) => {
        const isChild = tid !== undefined && tid !== [...machine.processes.keys()][0];
        if (isChild && ["ptrace SEIZE", "ptrace DETACH"].includes(name)) times.push(machine.nowMs);
      };
    };
    using life = play({ ...notify, prepare, steps: [looks] });
    const [seized = 0, released = 0, ...others] = times;
    expect(others).toEqual([]);
    expect(released - seized).toBeGreaterThanOrEqual(1000);
    expect(released - seized).toBeLessThan(2100);
    expect(life.machine.threads.every(({ traced }) => traced === undefined)).toBe(true);
    expect(life.machine.threads.every(({ state }) => state === "S")).toBe(true);
  });

  test("gets a signal that it stands with then", () => {
    const raises: Action = { kind: "fork", child: doing(missing, { kind: "raise", signal: 10 }) };
    using life = play({ ...notify, steps: [raises] });
    expect([...life.machine.processes.values()].at(-1)?.end).toEqual({ signal: 10 });
  });

  test("and that ends then is forgotten", () => {
    const ends: Action = { kind: "fork", child: doing(missing, { kind: "exit", code: 4 }) };
    using life = play({ ...notify, steps: [ends] });
    expect([...life.machine.processes.values()].at(-1)?.end).toEqual({ code: 4 });
    expect(life.lines).toEqual([]);
  });

  test("that has ended when its second is over needs no release", () => {
    const prepare = (machine: TracedMachine) => {
      machine.plan = (call) => {
        if (call.name !== "ptrace INTERRUPT" || call.index < 10) return;
        for (const process of [...machine.living].slice(1)) {
          endProcess(machine, process, { signal: 9 });
        }
        refusesAll("ptrace INTERRUPT", 3)(call);
      };
    };
    using life = play({ ...notify, prepare, steps: [looks] });
    expect(life.machine.living).toHaveLength(1);
    expect(life.lines).toEqual([]);
  });

  test("that the kernel does not know any more is asked to stop once", () => {
    const asked: number[] = [];
    const prepare = (machine: TracedMachine) => {
      machine.plan = (call) => {
        const isMain = call.tid === [...machine.processes.keys()][0];
        if (isMain || call.name !== "ptrace INTERRUPT") return;
        asked.push(machine.nowMs);
        refusesAll("ptrace INTERRUPT", 3)(call);
      };
    };
    using life = play({ ...notify, prepare, steps: [looks] });
    expect(asked).toHaveLength(1);
    expect(life.lines).toEqual([]);
  });
});

test("one by one, ten threads that look for a program are released", () => {
  const steps = Array<Action>(10).fill(looks);
  using life = play({ ...notify, steps });
  expect(life.machine.threads).toHaveLength(11);
  expect(life.machine.threads.every(({ traced }) => traced === undefined)).toBe(true);
});

test("a thread that executes a program, though its leader's execve was announced, is forgotten", () => {
  const child: Action = { kind: "thread", child: doing({ kind: "execute", path: "/bin/child" }) };
  using life = play({ ...notify, steps: [child, missing] });
  const thread = life.courier.pid + 1;
  expect(leadIntoRegion(processOf(life))).toBe(true);
  // The kernel may give its number to another process.
  expect(life.tracer.knows(thread)).toBe(false);
});

describe("a program of another user that cannot be prepared, and may not be killed", () => {
  const prepare = (machine: TracedMachine) => {
    machine.plan = (call) => {
      refusesAll("kill", 1)(call);
      const thread = machine.thread(call.tid ?? 0);
      if (thread?.process.file.path === "/bin/child") refusesAll("ptrace SETREGSET", 5)(call);
    };
  };

  test("does not run, and the others go on", () => {
    const scene = { ...notify, region: { slotBytes: 4096 }, prepare };
    using life = play({ ...scene, steps: [looks, startsChild, looks] });
    const message = "put the secrets into the program: ptrace: EIO";
    expect(life.lines.map((line) => line.message)).toEqual([
      `${message}: it may not be killed, and stands still`,
    ]);
    const [, , child] = [...life.machine.processes.values()];
    expect([child?.beginnings, child?.leader.state]).toEqual([[], "t"]);
    expect(life.machine.threads.filter(({ traced }) => traced !== undefined)).toHaveLength(1);
  });

  test("is a failure of the delivery if it is the main program", () => {
    using life = play({ prepare, program: "/bin/child" });
    expect(life.tracer.failure?.message).toContain("ptrace: EIO");
    expect(life.courier.beginnings).toEqual([]);
  });
});
