import { childStatus } from "@svc/kernel";

/**
 * True if a child neither catches nor ignores a signal: SigCgt and SigIgn, proc_pid_status(5).
 */
export function endsBySignal(pid: number, signal: number): boolean {
  const status = childStatus(pid);
  // It has ended already, or nothing is known of it.
  if (status === undefined) return false;
  return ["SigCgt", "SigIgn"].every((name) => !hasSignal(status.get(name), signal));
}

function hasSignal(mask: string | undefined, signal: number): boolean {
  return ((BigInt(`0x${mask ?? "0"}`) >> BigInt(signal - 1)) & 1n) === 1n;
}
