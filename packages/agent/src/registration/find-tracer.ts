import { readFileSync, readlinkSync } from "node:fs";
import type { ProcessFacts } from "./process-facts.ts";

/** Somebody who traces a process that is being registered. */
export interface FoundTracer {
  readonly pid: number;
  /** As it calls itself. */
  readonly name?: string;
  readonly executable?: { readonly path: string };
}

/** A process that came to be protected, and is in somebody's hands already. */
export interface TracedProcess {
  readonly pid: number;
  readonly registration: bigint;
  readonly tracer: FoundTracer;
}

/**
 * Who traces a process, where that is not its wrapper. Who began before the registration is not seen by the kernel side,
 * and reads what it likes; who traces a wrapper is given its children as well (PTRACE_O_TRACEFORK of ptrace(2)).
 */
export function findTracer(
  { tracer }: ProcessFacts,
  wrapper: { readonly pid: number },
): FoundTracer | undefined {
  if (tracer === 0) return undefined;
  const status = read(() => readFileSync(`/proc/${tracer}/status`, "utf8")) ?? "";
  const pid = Number(/^Tgid:\s*(\d+)$/m.exec(status)?.[1] ?? tracer);
  if (pid === wrapper.pid) return undefined;
  const name = /^Name:\t(.*)$/m.exec(status)?.[1];
  const path = read(() => readlinkSync(`/proc/${pid}/exe`));
  return {
    pid,
    ...(name !== undefined && { name }),
    ...(path !== undefined && { executable: { path } }),
  };
}

function read(ask: () => string): string | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
