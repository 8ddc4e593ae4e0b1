import { childStatus } from "@svc/kernel";

/**
 * True if a signal has stopped a child, so that others wait until SIGCONT: its state in
 * proc_pid_status(5). Also true of a child whose state /proc does not show, and of one that a
 * tracer holds: SIGCONT changes nothing for a process that runs.
 */
export function maybeStopped(pid: number): boolean {
  const state = childStatus(pid)?.get("State");
  return state === undefined || /^[Tt]/.test(state);
}
