import { libc } from "#native";
import { checked } from "../libc/syscall-error.ts";

// The same on every architecture.
const SYS_PIDFD_OPEN = 434;

/**
 * A descriptor that stands for a process and never for another one of the same pid; pidfd_open(2).
 * The caller owns it.
 */
export function openProcess(pid: number): number {
  return checked("pidfd_open", libc.syscall(SYS_PIDFD_OPEN, pid, 0, 0, 0, 0, 0));
}
