import { type Child, startChild, waitFor, waits } from "../calls/child.ts";
import type { KernelUnderTest, Outcome, Scripts, Step } from "../calls/kernel-under-test.ts";
import { open } from "../calls/words.ts";

const { exited, nohang, stopped, nowait } = waits;
const CHLD = 17;
const KILL = 9;
const SUBREAPER = 36;
const staying: readonly Step[] = [{ kind: "say", word: "here" }, { kind: "wait" }];
const exits = (code: number): readonly Step[] => [{ kind: "exit", code }];

/** waitid(2), prctl(2) and proc(5). */
export const children: Scripts = {
  "no child": (kernel) => [
    waitFor(kernel, [], exited),
    waitFor(kernel, [], exited | nohang),
    waitFor(kernel, [], exited, 1),
    waitFor(kernel, [], exited, kernel.pid),
  ],
  "a child without news": (kernel) => {
    const child = startChild(kernel, [...staying, ...exits(300)]);
    child.hear();
    const before = waitFor(kernel, [child], exited | nohang);
    const stranger = waitFor(kernel, [child], exited | nohang, 1);
    child.go();
    const seen = waitFor(kernel, [child], exited | nowait);
    const again = waitFor(kernel, [child], exited);
    return [before, stranger, seen, again, waitFor(kernel, [child], exited | nohang)];
  },
  "several children that have ended are found in the order of their start": (kernel) => {
    const all = [1, 2, 3].map((code) => startChild(kernel, [...staying, ...exits(code)]));
    for (const index of [2, 0, 1]) {
      all[index]?.hear();
      all[index]?.go();
      waitFor(kernel, all, exited | nowait, all[index]?.pid);
    }
    return [0, 1, 2, 3].map(() => waitFor(kernel, all, exited));
  },
  "one that is asked for by its pid": (kernel) => {
    const all = [4, 5].map((code) => startChild(kernel, exits(code)));
    const [, second] = all;
    return [waitFor(kernel, all, exited, second?.pid), waitFor(kernel, all, exited)];
  },
  "an end is not reported to one who asks for stops": (kernel) => {
    const child = startChild(kernel, exits(1));
    waitFor(kernel, [child], exited | nowait);
    return [waitFor(kernel, [child], stopped | nohang), waitFor(kernel, [child], exited)];
  },
  "no options of an event": (kernel) => {
    startChild(kernel, exits(0));
    return [waitFor(kernel, [], nohang), waitFor(kernel, [], 0)];
  },
  "an ignored SIGCHLD leaves no zombies": (kernel) => {
    const action = new Uint8Array(152);
    action[0] = 1;
    kernel.call("sigaction", CHLD, action, null);
    const child = startChild(kernel, [...staying, ...exits(1)]);
    child.hear();
    child.go();
    return [waitFor(kernel, [child], exited), kernel.call("kill", child.pid, 0)];
  },
  "a subreaper gets the orphan": (kernel) => {
    const set = kernel.call("prctl", SUBREAPER, 1);
    const { parent, orphan } = family(kernel);
    const before = parentOf(kernel, orphan, [parent]);
    parent.go();
    const outcomes = [waitFor(kernel, [parent, { pid: orphan }], exited)];
    outcomes.push(before, parentOf(kernel, orphan, [parent]));
    parent.goInside();
    return [set, ...outcomes, waitFor(kernel, [parent, { pid: orphan }], exited)];
  },
  "an orphan goes to another parent without a subreaper": (kernel) => {
    const { parent } = family(kernel);
    parent.go();
    const ended = waitFor(kernel, [parent], exited);
    parent.goInside();
    return [ended, waitFor(kernel, [parent], exited | nohang)];
  },
  "the files of a child": (kernel) => {
    const child = startChild(kernel, staying);
    child.hear();
    const words = textOf(kernel, `/proc/${child.pid}/cmdline`).split("\0");
    const outcomes: Outcome[] = [...words.slice(0, 2), ...words.slice(3)];
    outcomes.push(textOf(kernel, `/proc/${child.pid}/environ`), stat(kernel, child));
    kernel.call("kill", child.pid, 19);
    waitFor(kernel, [child], stopped);
    outcomes.push(stat(kernel, child));
    kernel.call("kill", child.pid, KILL);
    waitFor(kernel, [child], exited | nowait);
    outcomes.push(stat(kernel, child));
    for (const name of ["cmdline", "environ"]) {
      // Newer kernels refuse to open the environment of a zombie; older ones find it empty.
      outcomes.push(textOf(kernel, `/proc/${child.pid}/${name}`).replace("ESRCH", ""));
    }
    waitFor(kernel, [child], exited);
    return [...outcomes, open(kernel, `/proc/${child.pid}/stat`, 0)];
  },
  "the list of children has the order of their start, and adopted ones last": (kernel) => {
    kernel.call("prctl", SUBREAPER, 1);
    const { parent, orphan } = family(kernel);
    const next = startChild(kernel, staying);
    next.hear();
    const names = new Map([parent.pid, orphan, next.pid].map((pid, index) => [`${pid}`, index]));
    const list = () =>
      textOf(kernel, `/proc/${kernel.pid}/task/${kernel.pid}/children`)
        .split(" ")
        .map((pid) => names.get(pid) ?? pid);
    const before = list();
    parent.go();
    waitFor(kernel, [], exited | nowait, parent.pid);
    return [...before, "then", ...list()];
  },
};

/** A child whose own child outlives it. */
function family(kernel: KernelUnderTest): { readonly parent: Child; readonly orphan: number } {
  const steps: readonly Step[] = [{ kind: "wait" }, ...exits(9)];
  const parent = startChild(kernel, [{ kind: "fork", steps }, { kind: "wait" }, ...exits(8)]);
  return { parent, orphan: Number(parent.hear()) };
}

function fieldsOf(kernel: KernelUnderTest, pid: number): readonly string[] {
  return textOf(kernel, `/proc/${pid}/stat`).split(" ");
}

function parentOf(kernel: KernelUnderTest, pid: number, all: readonly Child[]): string {
  const parent = Number(fieldsOf(kernel, pid)[3]);
  if (parent === kernel.pid) return "the script";
  const index = all.findIndex((child) => child.pid === parent);
  return index < 0 ? "a stranger" : `child ${index}`;
}

/** The name, the state, and whether it leads its group, once it does not run. */
function stat(kernel: KernelUnderTest, { pid }: Child): string {
  for (;;) {
    const [, name, state, parent, group] = fieldsOf(kernel, pid);
    const isOwn = Number(parent) === kernel.pid && Number(group) === pid;
    if (state !== "R") return `${name} ${state} ${isOwn}`;
  }
}

function textOf(kernel: KernelUnderTest, path: string): string {
  const fd = open(kernel, path, 0);
  if (typeof fd === "string") return fd;
  const room = new Uint8Array(4096);
  const outcome = kernel.call("read", fd, room, room.length);
  kernel.call("close", fd);
  return typeof outcome === "string"
    ? outcome
    : new TextDecoder().decode(room.subarray(0, outcome));
}
