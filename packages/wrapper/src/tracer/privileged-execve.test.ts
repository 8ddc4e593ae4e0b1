import { describe, expect, test } from "bun:test";
import type { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { type Action, doing, type MachineFile } from "../../testdata/traced-machine/program.ts";
import {
  beginningOf,
  play,
  processOf,
  type Scene,
  secrets,
  startsChild,
} from "../../testdata/traced-machine/scene.ts";
import { signalThread } from "../../testdata/traced-machine/stops.ts";

const OWNER = 12;
const executesChild: Action = { kind: "execute", path: "/bin/child" };
const setUser = { mode: 0o4755, uid: OWNER };

/** The wrapper has no capability: its kernel withholds privileges from traced programs. */
function asUser(machine: TracedMachine): void {
  machine.ownStatus = "NoNewPrivs:\t0\nCapEff:\t0000000000000000\n";
}

const trace: Scene = { follow: "trace", prepare: asUser };
const forks = (...steps: readonly Action[]): Action => ({ kind: "fork", child: doing(...steps) });
const call: Action = { kind: "call", number: 39 };

describe("a traced program whose file raises privileges", () => {
  const rows: readonly (readonly [name: string, steps: readonly Action[]])[] = [
    ["that a fork executes", [startsChild]],
    ["that a fork executes after 60 system calls", [forks(...Array(60).fill(call), executesChild)]],
    [
      "that a fork executes after 200 system calls",
      [forks(...Array(200).fill(call), executesChild)],
    ],
    ["that a vfork executes", [{ kind: "vfork", child: doing(executesChild) }]],
    ["that a thread executes", [{ kind: "thread", child: doing(executesChild) }]],
    ["that the main program executes", [executesChild]],
    ["that is executed by a relative path", [forks({ ...executesChild, path: "child" })]],
    ["that is executed by a folder", [forks({ ...executesChild, path: "child", folder: 5 })]],
    ["that is executed by execveat and a whole path", [forks({ ...executesChild, folder: 5 })]],
  ];
  for (const [name, steps] of rows) {
    test(`gets them, ${name}`, () => {
      const prepare = (machine: TracedMachine) => {
        asUser(machine);
        machine.addFile("/srv/app/child", setUser);
        machine.addFile("/fd5/child", setUser);
      };
      using life = play({ ...trace, prepare, child: setUser, steps });
      const [started] = [...life.machine.processes.values()].filter(
        ({ effective }) => effective === OWNER,
      );
      const beginning = started?.beginnings.at(-1);
      expect(beginning?.variables).toMatchObject(secrets);
      expect(beginning?.isTraced).toBe(false);
      expect(beginning?.argv).toHaveLength(1);
      expect(beginning?.mask).toBe(0n);
      // Behind 128 stops, and in the main program, it is the exec event that shows the file.
      const isLate = name.includes("200") || name.includes("main program");
      expect(started?.executions).toBe(isLate ? 2 : 1);
      expect(life.lines.map(({ message }) => message)).toEqual([
        expect.stringContaining("its file raises privileges"),
      ]);
      expect(life.unprotected).toBe(1);
    });
  }

  test("is reported as not prepared if it is the main program", () => {
    using life = play({ ...trace, child: setUser, steps: [executesChild] });
    expect(life.told.at(-1)).toBe(0n);
  });

  const others: readonly (readonly [name: string, child: Partial<MachineFile>])[] = [
    ["whose file system ignores them", { ...setUser, isWithoutPrivileges: true }],
    ["that belongs to its user", { mode: 0o4755, uid: 0 }],
    ["that is locked by its group bit", { mode: 0o2745, gid: OWNER }],
    ["of the usual kind", {}],
  ];
  for (const [name, child] of others) {
    test(`stays traced and is prepared, if it is one ${name}`, () => {
      using life = play({ ...trace, child, steps: [startsChild] });
      expect(beginningOf(life).isTraced).toBe(true);
      expect([life.lines, life.unprotected]).toEqual([[], 0]);
    });
  }

  test("stays traced if the wrapper's kernel withholds nothing", () => {
    const capable = (machine: TracedMachine) => {
      machine.ownStatus = "NoNewPrivs:\t0\nCapEff:\t0000000000080000\n";
    };
    using life = play({ ...trace, prepare: capable, child: setUser, steps: [startsChild] });
    expect(beginningOf(life).isTraced).toBe(true);
  });

  test("gets a signal that came on the way", () => {
    const calls = Array<Action>(200).fill(call);
    let sent = 0;
    const prepare = (machine: TracedMachine) => {
      asUser(machine);
      machine.plan = ({ name, tid }) => {
        const thread = machine.thread(tid ?? 0);
        if (name !== "ptrace SETREGSET" || thread?.process.file.path !== "/bin/child") return;
        if (thread.process.effective === OWNER || sent > 0) return;
        sent += 1;
        // Nothing blocks SIGSTOP.
        signalThread(machine, thread, 19);
      };
    };
    const steps = [forks(...calls, executesChild)];
    using life = play({ ...trace, prepare, child: setUser, steps });
    const { machine } = life;
    const stopped = [...machine.processes.values()].at(-1);
    expect([sent, stopped?.leader.state]).toEqual([1, "t"]);
    machine.signal(stopped?.pid ?? 0, 18);
    life.run();
    expect(processOf(life).effective).toBe(OWNER);
  });
});

describe("the system calls of a traced process", () => {
  test("are looked at as long as it may be about to execute", () => {
    const steps = [forks(...Array<Action>(300).fill(call))];
    using life = play({ ...trace, steps });
    const looked = life.machine.calls.filter((name) => name === "ptrace GET_SYSCALL_INFO");
    // An entry and an exit of each.
    expect(looked).toHaveLength(128);
  });

  test("are not looked at if the kernel withholds nothing", () => {
    using life = play({ follow: "trace", steps: [forks(call)] });
    expect(life.machine.calls).not.toContain("ptrace GET_SYSCALL_INFO");
  });
});
