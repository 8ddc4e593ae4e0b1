import { describe, expect, test } from "bun:test";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import type { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { doing } from "../../testdata/traced-machine/program.ts";
import {
  beginningOf,
  leadIntoRegion,
  play,
  processOf,
  type Scene,
  startsChild,
  touchedBy,
  untouched,
} from "../../testdata/traced-machine/scene.ts";
import type { Thread } from "../../testdata/traced-machine/thread.ts";

const CHILD = "/bin/child";
const SIGUSR1 = 10;
const SIGUSR2 = 12;
const SIGTRAP_BIT = 1n << 4n;
const slots = { region: { slotBytes: 4096 } };
const ways: readonly (readonly [name: string, scene: Scene])[] = [
  ["announced", { follow: "notify", ...slots }],
  ["traced for life", { follow: "trace" }],
];

/** Acts once, when the child stands in its exec event and its registers are set. */
function once(act: (thread: Thread) => void): Scene["prepare"] & object {
  return (machine) => {
    let isDone = false;
    machine.plan = ({ name, tid }) => {
      const thread = machine.thread(tid ?? 0);
      if (isDone || name !== "ptrace SETREGSET" || thread?.process.file.path !== CHILD) return;
      isDone = true;
      act(thread);
    };
  };
}

for (const [way, scene] of ways) {
  describe(`a program that is ${way}`, () => {
    test("gets the signals that came while it was prepared, in their order", () => {
      const prepare = once((thread) => {
        thread.pending.push(SIGUSR1, SIGUSR2);
        for (const signal of [SIGUSR1, SIGUSR2]) thread.process.handlers.add(signal);
      });
      using life = play({ ...scene, prepare, steps: [startsChild] });
      const { leader } = processOf(life);
      expect(leadIntoRegion(processOf(life))).toBe(true);
      expect(leader.handled).toEqual([SIGUSR1, SIGUSR2]);
      expect(touchedBy(beginningOf(life))).toEqual(untouched(life, CHILD));
    });

    test("takes a SIGTRAP of another process for no end of its preparation", () => {
      const prepare = once(({ pending }) => void pending.push(5));
      using life = play({ ...scene, prepare, steps: [startsChild] });
      // It kills the program, as it would without its tracer.
      const child = [...life.machine.processes.values()][1];
      expect([child?.end, child?.beginnings]).toEqual([{ signal: 5 }, []]);
      expect(life.lines).toEqual([]);
    });

    for (const fault of [4, 7, 8, 11]) {
      test(`is killed if its preparation runs into signal ${fault}`, () => {
        const prepare = once(({ pending }) => void pending.push(fault));
        using life = play({ ...scene, prepare, steps: [startsChild, startsChild] });
        const [, first] = [...life.machine.processes.values()];
        expect([first?.end, first?.beginnings]).toEqual([{ signal: 9 }, []]);
        expect(life.lines.map(({ message }) => message)).toEqual([
          `put the secrets into the program: signal ${fault} while it was prepared: killed it`,
        ]);
        // The next one is prepared.
        expect(leadIntoRegion(processOf(life))).toBe(true);
        expect(life.machine.openFiles.count).toBe(0);
      });
    }

    test("blocks the signals that it has blocked, SIGTRAP too", () => {
      const mask = SIGTRAP_BIT | 2n;
      const prepare = (machine: TracedMachine) => {
        machine.plan = () => {
          const child = [...machine.processes.values()][1];
          if (child?.file.path === "/bin/server") child.leader.mask = mask;
        };
      };
      using life = play({ ...scene, prepare, steps: [startsChild] });
      expect(beginningOf(life).mask).toBe(mask);
    });

    test("is interrupted by another's change of values without harm", () => {
      const prepare = once((thread) => {
        thread.isInterrupted = true;
      });
      using life = play({ ...scene, prepare, steps: [startsChild] });
      expect(leadIntoRegion(processOf(life))).toBe(true);
    });
  });
}

test("an error in an announcement is logged, and the program goes on", () => {
  const prepare = (machine: TracedMachine) => {
    machine.plan = (call) => {
      if (call.name === "ptrace SEIZE" && call.index > 10) throw new TypeError("on purpose");
    };
  };
  using life = play({ follow: "notify", prepare, steps: [startsChild] });
  expect(life.lines.map(({ level, message }) => [level, message])).toEqual([
    ["error", "follow an execve: on purpose"],
  ]);
  expect(beginningOf(life).isTraced).toBe(false);
});

describe("a program that raises privileges, and does not tell its path", () => {
  test("stays traced without them, and nothing of it is changed", () => {
    const scene: Scene = {
      follow: "trace",
      child: { mode: 0o4755, uid: 12, hasPath: false },
      prepare: (machine) => {
        machine.ownStatus = "NoNewPrivs:\t0\nCapEff:\t0000000000000000\n";
      },
      steps: [{ kind: "execute", path: CHILD }],
    };
    using life = play(scene);
    const beginning = beginningOf(life);
    expect([beginning.isTraced, processOf(life).effective]).toEqual([true, 0]);
    expect(leadIntoRegion(processOf(life))).toBe(true);
    expect(touchedBy(beginning)).toEqual(untouched(life, CHILD));
  });
});

test("any other refusal of SIGKILL is an error", () => {
  const prepare = (machine: TracedMachine) => {
    machine.plan = (call) => {
      refusesAll("kill", 22)(call);
      refusesAll("ptrace SETREGSET", 5)(call);
    };
  };
  expect(() => play({ prepare })).toThrow("kill: EINVAL");
});

test("a signal that ends a child in vfork lets its parent go on", () => {
  const child = doing({ kind: "raise", signal: 15 });
  const steps: Scene["steps"] = [{ kind: "vfork", child }, startsChild];
  using life = play({ follow: "trace", steps });
  expect(leadIntoRegion(processOf(life))).toBe(true);
  expect(life.courier.end).toBeUndefined();
});
