import {
  type EnvironmentEntry,
  processId,
  processStatus,
  valueText,
  viewOfProc,
} from "@svc/kernel";

/**
 * True if the wrapper of this container has become its program (SVC_SUPERVISE=never): process 1 has
 * another name than the wrapper, which this process is. Each user may read it: proc_pid_status(5).
 */
export function isHandedOver(environment: readonly EnvironmentEntry[]): boolean {
  // getenv(3) takes the first of several.
  const supervise = environment.find(({ name }) => name === "SVC_SUPERVISE");
  if (supervise === undefined || valueText(supervise) !== "never") return false;
  // A foreign /proc shows other processes by these pids.
  if (viewOfProc().kind !== "own") return false;
  const nameOf = (pid: number) => processStatus(pid).get("Name");
  return nameOf(1) !== nameOf(processId());
}
