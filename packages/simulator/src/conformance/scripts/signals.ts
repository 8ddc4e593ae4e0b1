import { startChild, waitFor, waits } from "../calls/child.ts";
import type { KernelUnderTest, Outcome, Scripts, Step } from "../calls/kernel-under-test.ts";

const [HUP, KILL, USR2, TERM, CHLD, CONT, STOP, WINCH] = [1, 9, 12, 15, 17, 18, 19, 28];
const [REAL_TIME, LATER_REAL_TIME] = [40, 41];
const BLOCK = 0;
const UNBLOCK = 1;
const { exited, nohang, stopped, continued } = waits;
const staying: readonly Step[] = [{ kind: "say", word: "here" }, { kind: "wait" }];

/** Signals that every process of a script blocks from its start: a runtime has other threads. */
export const blockedAtStart: readonly number[] = [
  HUP,
  USR2,
  13,
  TERM,
  CHLD,
  WINCH,
  REAL_TIME,
  LATER_REAL_TIME,
];

/** signal(7), kill(2) and sigtimedwait(2). */
export const signalling: Scripts = {
  "a standard signal is kept once, and the lowest number comes first": (kernel) => {
    for (const number of [TERM, USR2, TERM, HUP, USR2]) kernel.call("kill", kernel.pid, number);
    return takeAll(kernel, [HUP, USR2, TERM]);
  },
  "real-time signals queue in their order, after the standard ones": (kernel) => {
    const sent: Outcome[] = [];
    for (const [number, value] of [
      [41, 1],
      [40, 2],
      [40, 3],
      [12, 4],
    ] as const) {
      sent.push(queue(kernel, number, value));
    }
    return [...sent, ...takeAll(kernel, [USR2, REAL_TIME, LATER_REAL_TIME])];
  },
  "only the wanted signals are taken": (kernel) => {
    kernel.call("kill", kernel.pid, HUP);
    return [...takeAll(kernel, [USR2]), ...takeAll(kernel, [HUP])];
  },
  "a blocked signal is kept though it is ignored by default": (kernel) => {
    kernel.call("kill", kernel.pid, WINCH);
    return takeAll(kernel, [WINCH]);
  },
  "a signal that becomes ignored is forgotten": (kernel) => {
    const action = new Uint8Array(152);
    action[0] = 1;
    kernel.call("kill", kernel.pid, HUP);
    const set = kernel.call("sigaction", HUP, action, null);
    const forgotten = takeAll(kernel, [HUP]);
    kernel.call("kill", kernel.pid, HUP);
    return [set, ...forgotten, ...takeAll(kernel, [HUP])];
  },
  "the mask": (kernel) => {
    const seen = () => {
      const mask = new Uint8Array(8);
      kernel.call("pthread_sigmask", BLOCK, null, mask);
      return [HUP, KILL, USR2, STOP].map(
        (one) => ((mask[(one - 1) >> 3] ?? 0) >> ((one - 1) & 7)) & 1,
      );
    };
    const before = seen();
    kernel.call("pthread_sigmask", BLOCK, setOf([KILL, STOP]), null);
    const blocked = seen();
    kernel.call("pthread_sigmask", UNBLOCK, setOf([USR2]), null);
    return [...before, ...blocked, ...seen()];
  },
  "nothing and strangers are signalled": (kernel) => [
    kernel.call("kill", kernel.pid, 0),
    kernel.call("kill", 4_194_304, 0),
    kernel.call("kill", -4_194_304, TERM),
    kernel.call("kill", kernel.pid, 65),
  ],
  "a child ends by the default action, and by SIGKILL": (kernel) =>
    [TERM, HUP, KILL, REAL_TIME].flatMap((number) => {
      const child = startChild(kernel, staying);
      child.hear();
      const sent = kernel.call("kill", child.pid, number);
      return [sent, waitFor(kernel, [child], exited)];
    }),
  "a signal that does nothing by default, and one that is ignored": (kernel) => {
    const steps: readonly Step[] = [{ kind: "ignore", signal: TERM }, ...staying];
    const child = startChild(kernel, [...steps, { kind: "exit", code: 3 }]);
    child.hear();
    const sent = [WINCH, TERM].map((number) => kernel.call("kill", child.pid, number));
    child.go();
    return [...sent, waitFor(kernel, [child], exited)];
  },
  "a zombie takes signals": (kernel) => {
    const child = startChild(kernel, []);
    waitFor(kernel, [child], exited | waits.nowait);
    const sent = [0, TERM].map((number) => kernel.call("kill", child.pid, number));
    return [...sent, waitFor(kernel, [child], exited), kernel.call("kill", child.pid, 0)];
  },
  "a process group": (kernel) => {
    const [one, other] = [startChild(kernel, staying), startChild(kernel, staying)];
    one.hear();
    other.hear();
    const sent = kernel.call("kill", -one.pid, TERM);
    const first = waitFor(kernel, [one, other], exited);
    const rest = waitFor(kernel, [one, other], exited | nohang);
    kernel.call("kill", -other.pid, KILL);
    return [sent, first, rest, waitFor(kernel, [one, other], exited)];
  },
  "SIGCHLD of several children is kept once": (kernel) => {
    const children = [startChild(kernel, []), startChild(kernel, [])];
    for (const { pid } of children) waitFor(kernel, children, exited | waits.nowait, pid);
    return takeAll(kernel, [CHLD]);
  },
  "a stopped child goes on and ends": (kernel) => {
    const child = startChild(kernel, [{ kind: "raise", signal: STOP }, ...staying]);
    const outcomes = [waitFor(kernel, [child], stopped)];
    outcomes.push(waitFor(kernel, [child], stopped | nohang));
    kernel.call("kill", child.pid, CONT);
    outcomes.push(waitFor(kernel, [child], continued));
    outcomes.push(waitFor(kernel, [child], stopped | continued | nohang), child.hear());
    child.go();
    return [...outcomes, waitFor(kernel, [child], exited)];
  },
  "a stopped child keeps a signal that would end it": (kernel) => {
    const child = startChild(kernel, [{ kind: "raise", signal: STOP }, ...staying]);
    const outcomes = [waitFor(kernel, [child], stopped)];
    kernel.call("kill", child.pid, TERM);
    outcomes.push(waitFor(kernel, [child], exited | nohang));
    kernel.call("kill", child.pid, CONT);
    return [...outcomes, waitFor(kernel, [child], exited)];
  },
  "SIGKILL ends a stopped child": (kernel) => {
    const child = startChild(kernel, [{ kind: "raise", signal: STOP }, ...staying]);
    const before = waitFor(kernel, [child], stopped);
    kernel.call("kill", child.pid, KILL);
    return [before, waitFor(kernel, [child], exited | stopped)];
  },
};

function setOf(numbers: readonly number[]): Uint8Array {
  const set = new Uint8Array(128);
  for (const one of numbers)
    set[(one - 1) >> 3] = (set[(one - 1) >> 3] ?? 0) | (1 << ((one - 1) & 7));
  return set;
}

/** Takes the pending signals of a set, with the error that ends the list. */
function takeAll(kernel: KernelUnderTest, numbers: readonly number[]): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  for (;;) {
    const info = new Int32Array(32);
    const taken = kernel.call("sigtimedwait", setOf(numbers), info, new BigInt64Array(2));
    outcomes.push(taken);
    if (typeof taken === "string") return outcomes;
    outcomes.push(info[0] ?? -1);
  }
}

/** rt_sigqueueinfo(2) to the process itself. */
function queue(kernel: KernelUnderTest, number: number, value: number): Outcome {
  const info = new Int32Array(32);
  [info[0], info[2], info[6]] = [number, -1, value];
  const address = kernel.addressOf(new Uint8Array(info.buffer));
  return kernel.call("syscall", 129, kernel.pid, number, address);
}
