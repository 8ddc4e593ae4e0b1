import { SIGKILL, SyscallError, sendSignal } from "@svc/kernel";

/** False for a program of another user, if this process has no CAP_KILL; kill(2). */
export function killIfPermitted(pid: number): boolean {
  try {
    sendSignal(pid, SIGKILL);
    return true;
  } catch (error) {
    if (error instanceof SyscallError && error.code === "EPERM") return false;
    throw error;
  }
}
