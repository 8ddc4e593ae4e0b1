import { describe, expect, spyOn, test } from "bun:test";
import type { ExecPreparer, LeftOver, Notification, TraceeStop } from "@svc/kernel";
import { refusesAll } from "../../testdata/traced-machine/faults.ts";
import { closeListener } from "../../testdata/traced-machine/listener-calls.ts";
import { TracedMachine } from "../../testdata/traced-machine/machine.ts";
import { type Action, doing } from "../../testdata/traced-machine/program.ts";
import {
  beginningOf,
  leadIntoRegion,
  play,
  processOf,
  type Scene,
  sceneOf,
  secrets,
  startsChild,
} from "../../testdata/traced-machine/scene.ts";
import { LISTENER_FD } from "../../testdata/traced-machine/state.ts";
import { endProcess } from "../../testdata/traced-machine/stops.ts";
import { ExecListener, type ExecListenerOptions } from "./exec-listener.ts";
import { PrepareByItself } from "./prepare-by-itself.ts";

const EXECVE = process.arch === "arm64" ? 221 : 59;
const SETUID = process.arch === "arm64" ? 146 : 105;
const notify: Scene = { follow: "notify" };
const nothingLeft: LeftOver = {
  expected: [],
  asking: [],
  stop: undefined,
  notification: undefined,
  hasChange: false,
  isClosed: false,
};

/** A listener whose preparer leaves over one thing after the other. */
function listen(left: readonly (Partial<LeftOver> | undefined)[]) {
  const events: unknown[] = [];
  let onNews: () => void = () => undefined;
  const rest = left.map((one) => one && { ...nothingLeft, ...one });
  const preparer: ExecPreparer = { noteOrdinary: () => undefined, run: () => rest.shift() };
  const note =
    (name: string) =>
    (...words: readonly unknown[]): void => {
      events.push([name, ...words]);
    };
  const options: ExecListenerOptions = {
    fd: LISTENER_FD,
    preparer,
    watchReadable: (_, listener) => {
      onNews = listener;
      return { [Symbol.dispose]: note("unwatched") };
    },
    onLeftOver: note("left over"),
    onExec: note("exec"),
    onChangeOfUser: note("user"),
    onContinued: note("continued"),
    descriptorFor: () => undefined,
    onRefused: note("refused"),
    onError: note("error"),
    onClosed: note("closed"),
  };
  return { events, options, news: () => onNews() };
}

function notification(more: Partial<Notification>): Notification {
  return { id: 99n, tid: 12, call: EXECVE, first: 4096n, second: 0n, ...more };
}

describe("the listener of execs with a preparer", () => {
  const rows: readonly (readonly [
    name: string,
    left: Partial<LeftOver> | undefined,
    events: readonly (readonly unknown[])[],
  ])[] = [
    ["has nothing to do if nothing is left over", undefined, []],
    [
      "hands on the rest",
      { hasChange: true },
      [["left over", { ...nothingLeft, hasChange: true }]],
    ],
    [
      "announces an execve that is left over",
      { notification: notification({}) },
      [expect.anything(), ["exec", 12], ["continued", 12]],
    ],
    [
      "announces a change of the user",
      { notification: notification({ call: SETUID, first: 0n }) },
      [expect.anything(), ["user", 12]],
    ],
    [
      "reports an errno of the code",
      { notification: notification({ first: 0n, second: -17n }) },
      [expect.anything(), ["refused", 12, -17]],
    ],
    [
      "takes an execve without a path for one, if it names no errno",
      { notification: notification({ first: 0n, second: 1n }) },
      [expect.anything(), ["exec", 12], ["continued", 12]],
    ],
    [
      "takes no number beyond all for an errno",
      { notification: notification({ first: 0n, second: -4096n }) },
      [expect.anything(), ["exec", 12], ["continued", 12]],
    ],
    [
      "takes the last errno",
      { notification: notification({ first: 0n, second: -4095n }) },
      [expect.anything(), ["refused", 12, -4095]],
    ],
    [
      "closes with its last process",
      { isClosed: true },
      [expect.anything(), ["unwatched"], ["closed"]],
    ],
  ];
  for (const [name, left, events] of rows) {
    test(name, () => {
      using machine = new TracedMachine();
      const listener = listen([left]);
      new ExecListener(listener.options);
      listener.news();
      expect(listener.events).toEqual([...events]);
      expect(machine.isListenerOpen).toBe(left?.isClosed !== true);
    });
  }

  test("lets the call go on although its announcement has failed", () => {
    using machine = new TracedMachine();
    const listener = listen([{ notification: notification({}) }]);
    const error = new Error("on purpose");
    const onExec = () => {
      throw error;
    };
    new ExecListener({ ...listener.options, onExec });
    listener.news();
    expect(listener.events.slice(1)).toEqual([
      ["error", error],
      ["continued", 12],
    ]);
    expect(machine.calls).toContain("ioctl SEND");
  });

  test("asks the kernel to wake listener and program in turn", () => {
    using machine = new TracedMachine();
    new ExecListener(listen([]).options);
    expect(machine.calls).toEqual(["syscall ioctl"]);
  });
});

describe("the listener of execs without a preparer", () => {
  test("has nothing to do if it is woken for nothing", () => {
    using machine = new TracedMachine();
    const listener = listen([]);
    const child = machine.startChild(doing({ kind: "sleep" }));
    child.leader.wait = { kind: "sleep" };
    child.isAnnounced = true;
    new ExecListener({ ...listener.options, preparer: undefined });
    listener.news();
    expect(listener.events).toEqual([]);
  });

  test("passes over a call whose thread has been killed meanwhile", () => {
    const { machine, life } = sceneOf({ ...notify, steps: [startsChild] });
    using _ = machine;
    machine.plan = ({ name }) => {
      const child = [...machine.processes.values()][1];
      if (name === "ioctl RECV" && child) endProcess(machine, child, { signal: 9 });
    };
    life.run();
    expect(life.lines).toEqual([]);
    expect(machine.living).toHaveLength(1);
  });
});

/** A follower whose preparer leaves over the calls of a test, in place of the engine's. */
function followWith(scene: Scene, run: (machine: TracedMachine) => LeftOver | undefined) {
  const { machine, life } = sceneOf(scene);
  const noted: number[] = [];
  const spy = spyOn(PrepareByItself.prototype, "withoutTurns").mockImplementation(() => ({
    noteOrdinary: (pid) => void noted.push(pid),
    run: () => run(machine),
  }));
  try {
    life.run();
  } finally {
    spy.mockRestore();
    machine[Symbol.dispose]();
  }
  return { machine, life, noted };
}

/** The first unanswered call, as the preparer takes it from the listener. */
function taken(machine: TracedMachine): Notification | undefined {
  const next = machine.announced.find(({ isTaken }) => !isTaken);
  if (next === undefined) return undefined;
  next.isTaken = true;
  machine.unread -= 1;
  const [first = 0, second = 0] = next.parameters;
  const { id, number, thread } = next;
  return { id, tid: thread.tid, call: number, first: BigInt(first), second: BigInt(second) };
}

describe("a follower with a preparer in its host", () => {
  test("takes the calls that the preparer leaves over, and notes ordinary programs", () => {
    const { life, noted } = followWith({ ...notify, steps: [startsChild] }, (machine) => ({
      ...nothingLeft,
      notification: taken(machine),
    }));
    expect(leadIntoRegion(processOf(life))).toBe(true);
    expect(beginningOf(life).isTraced).toBe(false);
    expect(noted).toEqual([processOf(life).pid]);
  });

  test("goes on behind a thread that the preparer has seized, and its stop", () => {
    let step = 0;
    const { life } = followWith({ ...notify, steps: [startsChild] }, (machine) => {
      const notification = taken(machine);
      if (notification === undefined || step > 0) return { ...nothingLeft, notification };
      step += 1;
      return prepareHere(machine, notification);
    });
    expect(leadIntoRegion(processOf(life))).toBe(true);
    expect(life.lines).toEqual([]);
  });

  test("answers a program that runs the code already", () => {
    let step = 0;
    const { life } = followWith({ ...notify, steps: [startsChild] }, (machine) => {
      const notification = taken(machine);
      step += 1;
      if (step !== 2) return { ...nothingLeft, notification };
      const asking = notification === undefined ? [] : [notification.tid];
      return { ...nothingLeft, asking, notification, hasChange: true };
    });
    expect(leadIntoRegion(processOf(life))).toBe(true);
  });
});

/** As the preparer does it: it seizes the thread, lets the call go on, and has the stop. */
function prepareHere(machine: TracedMachine, { tid, id }: Notification): LeftOver {
  const thread = machine.thread(tid);
  const call = machine.announced.find((one) => one.id === id);
  if (thread === undefined || call === undefined) throw new TypeError("no thread");
  thread.traced = 0x10_0011;
  machine.announced = machine.announced.filter((one) => one !== call);
  thread.wait = undefined;
  thread.next = () => machine.goOnWith(thread);
  machine.run();
  if (thread.stop === undefined) throw new TypeError("no stop");
  thread.stop.isTold = true;
  const { signal, event } = thread.stop;
  const stop: TraceeStop = { kind: "traced", pid: thread.tid, signal, event };
  return { ...nothingLeft, expected: [tid], stop, hasChange: true };
}

describe("a program that asks for the region", () => {
  test("is answered in two steps by an older kernel", () => {
    let asked = 0;
    const prepare = (machine: TracedMachine) => {
      machine.plan = (call) => {
        if (call.name !== "ioctl ADDFD") return;
        asked += 1;
        // SECCOMP_ADDFD_FLAG_SEND came with Linux 5.14.
        if (asked === 1) refusesAll("ioctl ADDFD", 22)(call);
      };
    };
    using life = play({ ...notify, prepare, steps: [startsChild] });
    expect(leadIntoRegion(processOf(life))).toBe(true);
    expect(asked).toBe(2);
  });

  test("ends with 125 if the wrapper is gone", () => {
    const prepare = (machine: TracedMachine) => {
      machine.plan = () => {
        const child = [...machine.processes.values()][1];
        if (child?.leader.code !== undefined) closeListener(machine);
      };
    };
    using life = play({ ...notify, prepare, steps: [startsChild] });
    expect([...life.machine.processes.values()][1]?.end).toEqual({ code: 125 });
  });

  test("gets nothing if it is an ordinary program that names no path", () => {
    const silly: Action = { kind: "call", number: EXECVE, arguments: [0, 0, 0] };
    using life = play({ ...notify, steps: [silly, startsChild] });
    expect([...life.courier.descriptors]).toEqual([]);
    expect(beginningOf(life).variables).toMatchObject(secrets);
  });
});

test("a wrapper without a descriptor for SIGCHLD prepares programs all the same", () => {
  const prepare = (machine: TracedMachine) => {
    machine.plan = refusesAll("syscall signalfd4", 24);
  };
  using life = play({ ...notify, prepare, steps: [startsChild, startsChild] });
  expect(leadIntoRegion(processOf(life))).toBe(true);
  expect([life.lines, life.unprotected]).toEqual([[], 0]);
});
