import { describe, expect, test } from "bun:test";
import { SIGSTOP, SIGTRAP, traceEvent } from "@svc/kernel";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { sleeps } from "../../testdata/traced-machine/program.ts";
import { endProcess } from "../../testdata/traced-machine/stops.ts";
import { isReportedAsInLinux, startTracing } from "./start-tracing.ts";

describe("the first stop of a traced child", () => {
  const rows: readonly (readonly [name: string, signal: number, event: number, linux: boolean])[] =
    [
      ["for PTRACE_INTERRUPT", SIGTRAP, traceEvent.stop, true],
      ["for a signal that comes before", SIGSTOP, 0, true],
      ["for a real-time signal", 64, 0, true],
      ["for PTRACE_INTERRUPT as gVisor's waitid tells it", traceEvent.stop, 0, false],
      ["for a signal as gVisor's waitid tells it", 0, 0, false],
      ["for an execve, which is not asked for yet", SIGTRAP, traceEvent.exec, false],
    ];
  for (const [name, signal, event, isLinux] of rows) {
    test(`${name} is ${isLinux ? "" : "not "}that of Linux`, () => {
      expect(isReportedAsInLinux({ kind: "traced", pid: 1, signal, event })).toBe(isLinux);
    });
  }
});

/** A courier that sleeps, and the machine that it lives on. */
function courierOn(machine: TracedMachine) {
  const courier = machine.startChild(sleeps);
  courier.leader.program = sleeps();
  return courier;
}

describe("the self-test of a traced courier", () => {
  test("leaves it running, and traced", () => {
    using machine = new TracedMachine();
    const { pid, leader } = courierOn(machine);
    expect(startTracing(pid)).toEqual({ kind: "tracing" });
    machine.run();
    // Exits with its tracer, and each execve stops it.
    expect([leader.state, leader.traced]).toEqual(["S", 0x10_0011]);
  });

  test("hands on a signal that came before", () => {
    using machine = new TracedMachine();
    const { pid, leader, handlers } = courierOn(machine);
    handlers.add(10);
    leader.pending.push(10);
    expect(startTracing(pid)).toEqual({ kind: "tracing" });
    machine.run();
    expect(leader.handled).toEqual([10]);
  });

  const refusals: readonly (readonly [
    name: string,
    prepare: (machine: TracedMachine) => void,
    reason: string,
  ])[] = [
    [
      "forbids to trace",
      (machine) => (machine.plan = refusesAll("ptrace SEIZE", 1)),
      "ptrace: EPERM",
    ],
    [
      "forbids it by Yama, and says how",
      (machine) => {
        machine.plan = refusesAll("ptrace SEIZE", 1);
        machine.texts.set("/proc/sys/kernel/yama/ptrace_scope", "3\n");
      },
      "ptrace: EPERM (kernel.yama.ptrace_scope is 3)",
    ],
    [
      "does not let it be stopped",
      (machine) => (machine.plan = refusesAll("ptrace INTERRUPT", 5)),
      "ptrace: EIO; the courier could not be let go: ptrace: ESRCH",
    ],
    [
      "refuses to wait for it",
      (machine) => (machine.plan = refusesAll("waitid", 1)),
      "waitid: EPERM",
    ],
    [
      "does not announce its execs",
      (machine) => (machine.plan = refusesAll("ptrace SETOPTIONS", 22)),
      "ptrace: EINVAL",
    ],
    [
      "does not let it go on",
      (machine) => (machine.plan = refusesAll("ptrace CONT", 5)),
      "ptrace: EIO",
    ],
    [
      "has no /proc",
      (machine) => (machine.procShows = undefined),
      "/proc is not mounted, or is that of another PID namespace",
    ],
    [
      "has a /proc of another namespace",
      (machine) => (machine.procShows = "4711"),
      "/proc is that of another PID namespace: it shows this process as 4711",
    ],
    [
      "hides /proc",
      (machine) => (machine.plan = refusesAll("readlink", 13)),
      "/proc is not readable: readlink: EACCES",
    ],
  ];
  for (const [name, prepare, reason] of refusals) {
    test(`gives the reason, and lets it run on, if the kernel ${name}`, () => {
      using machine = new TracedMachine();
      const { pid, leader, end } = courierOn(machine);
      prepare(machine);
      expect(startTracing(pid)).toEqual({ kind: "impossible", reason });
      machine.run();
      expect(end).toBeUndefined();
      // A tracer that cannot stop it stays its tracer.
      const isLet = !reason.includes("could not be let go");
      expect([leader.stop, leader.traced === undefined]).toEqual([undefined, isLet]);
    });
  }

  test("says so if the courier has ended", () => {
    using machine = new TracedMachine();
    const courier = courierOn(machine);
    machine.plan = ({ name }) => {
      if (name === "waitid") endProcess(machine, courier, { signal: 15 });
    };
    expect(startTracing(courier.pid)).toEqual({
      kind: "impossible",
      reason: "the courier has ended",
    });
  });

  test("lets a courier run on whose stops are others than those of Linux", () => {
    using machine = new TracedMachine();
    const { pid, leader } = courierOn(machine);
    machine.plan = ({ name }) => {
      if (name !== "waitid") return;
      machine.run();
      // As gVisor reports it.
      if (leader.stop !== undefined) leader.stop = { ...leader.stop, signal: 0, event: 0 };
    };
    expect(startTracing(pid)).toEqual({
      kind: "impossible",
      reason: "the kernel reports stops of traced processes otherwise than Linux",
    });
    expect(leader.traced).toBeUndefined();
  });
});
