import { closeDescriptor, openProcess, SIGKILL, SyscallError, signalProcess } from "@svc/kernel";
import { findTracer, type TracedProcess } from "./find-tracer.ts";
import type { Marks } from "./marks.ts";
import { readProcess } from "./process-facts.ts";

/** What became of somebody who traced a process before it was registered; as decisions of events. */
export type TracerEnd = "observed" | "killed" | "failed";

const noWrapper = { pid: 0 };

/**
 * Ends whoever traces a process that is being registered: nothing could refuse it when it began, and nothing asks again
 * when it reads. What it traced goes on. Another wrapper, which places secrets so, is spared.
 */
export function endTracer(
  { pid, tracer }: TracedProcess,
  marks: Pick<Marks, "ownedBy">,
): TracerEnd {
  let pidfd: number | undefined;
  try {
    pidfd = openProcess(tracer.pid);
    if (marks.ownedBy(pidfd) !== undefined) return "observed";
    // As long as it traces, its number is nobody else's.
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
