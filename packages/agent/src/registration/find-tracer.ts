import { readFileSync, readlinkSync } from "node:fs";
import type { ProcessFacts } from "./process-facts.ts";

/** The tracer of a process that is being registered. */
export interface FoundTracer {
  readonly pid: number;
  /** As it calls itself. */
  readonly name?: string;
  readonly executable?: { readonly path: string };
}

/** A newly protected process with a tracer. */
export interface TracedProcess {
  readonly pid: number;
  readonly registration: bigint;
  readonly tracer: FoundTracer;
}

/**
 * The tracer of a process, if it is not its wrapper. The kernel side does not see a tracer from
 * before the registration, which can read everything; the tracer of a wrapper gets its children as
 * well (PTRACE_O_TRACEFORK of ptrace(2)).
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
