import { closeDescriptor, openProcess, SIGKILL, SyscallError, signalProcess } from "@svc/kernel";
import { findTracer, type TracedProcess } from "./find-tracer.ts";
import type { Marks } from "./marks.ts";
import { readProcess } from "./process-facts.ts";

/**
 * The outcome for a process that traced another before its registration; as decisions of events.
 */
export type TracerEnd = "observed" | "killed" | "failed";

const noWrapper = { pid: 0 };

/**
 * Ends the tracer of a process that is being registered: nothing could refuse it when it began, and
 * nothing asks again when it reads. The traced process continues. Another wrapper, which places
 * secrets in this way, is spared.
 */
export function endTracer(
  { pid, tracer }: TracedProcess,
  marks: Pick<Marks, "ownedBy">,
): TracerEnd {
  let pidfd: number | undefined;
  try {
    pidfd = openProcess(tracer.pid);
    if (marks.ownedBy(pidfd) !== undefined) return "observed";
    // As long as it traces, no other process can have its number.
    const facts = readProcess(pid);
    if (facts === undefined || findTracer(facts, noWrapper)?.pid !== tracer.pid) return "observed";
    signalProcess(pidfd, SIGKILL);
    return "killed";
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return error.code === "ESRCH" ? "observed" : "failed";
  } finally {
    if (pidfd !== undefined) closeDescriptor(pidfd);
  }
}
