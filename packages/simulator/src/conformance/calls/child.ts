import type { KernelUnderTest, Outcome, Step } from "./kernel-under-test.ts";
import { bytesOf, numberOf, pipe } from "./words.ts";

/** A child that a script has started. */
export interface Child {
  readonly pid: number;
  /** Lets it pass a `wait`. */
  go(): void;
  /** The same for a child of its. */
  goInside(): void;
  /** Waits for its next word. */
  hear(): string;
}

/** Starts a child. */
export function startChild(kernel: KernelUnderTest, steps: readonly Step[]): Child {
  const [gate, inner, report] = [pipe(kernel), pipe(kernel), pipe(kernel)];
  const ends = { gate: gate.reads, innerGate: inner.reads, report: report.writes };
  const pid = kernel.spawn(steps, ends);
  for (const fd of Object.values(ends)) kernel.call("close", fd);
  const pass = (fd: number) => () => void kernel.call("write", fd, bytesOf("\n"), 1);
  return {
    pid,
    go: pass(gate.writes),
    goInside: pass(inner.writes),
    hear: () => lineFrom(kernel, report.reads),
  };
}

const NEWLINE = 10;

function lineFrom(kernel: KernelUnderTest, fd: number): string {
  const byte = new Uint8Array(1);
  let line = "";
  while (numberOf(kernel.call("read", fd, byte, 1)) === 1) {
    if (byte[0] === NEWLINE) return line;
    line += String.fromCharCode(byte[0] ?? 0);
  }
  throw new Error(`the child has ended after ${JSON.stringify(line)}`);
}

/** Options and events of waitid(2). */
export const waits = {
  nohang: 1,
  stopped: 2,
  exited: 4,
  continued: 8,
  nowait: 0x0100_0000,
} as const;

/** A waitid(2): its error, or its signal, code, the name of the child, and the status. */
export function waitFor(
  kernel: KernelUnderTest,
  children: readonly { readonly pid: number }[],
  options: number,
  only?: number,
): string {
  const info = new Int32Array(32);
  const [kind, id] = only === undefined ? [0, 0] : [1, only];
  const outcome: Outcome = kernel.call("waitid", kind, id, info, options);
  if (outcome !== 0) return String(outcome);
  const index = children.findIndex(({ pid }) => pid === info[4]);
  const name = info[4] === 0 ? "nothing" : index < 0 ? "a stranger" : `child ${index}`;
  return `${info[0]} ${info[2]} ${name} ${info[6]}`;
}
