import { processStatus, SyscallError } from "@svc/kernel";

/**
 * True if a process neither catches nor ignores a signal: SigCgt and SigIgn, proc_pid_status(5).
 */
export function endsBySignal(pid: number, signal: number): boolean {
  try {
    const status = processStatus(pid);
    return ["SigCgt", "SigIgn"].every((name) => !hasSignal(status.get(name), signal));
  } catch (error) {
    // It has ended already.
    if (error instanceof SyscallError) return false;
    throw error;
  }
}

function hasSignal(mask: string | undefined, signal: number): boolean {
  return ((BigInt(`0x${mask ?? "0"}`) >> BigInt(signal - 1)) & 1n) === 1n;
}
