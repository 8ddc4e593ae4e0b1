import { processStatus } from "../files/file-ownership.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { numberOfChild } from "./descendants.ts";

/**
 * The kernel's status of a child of this process, by field name; proc_pid_status(5). Undefined if
 * it has ended, or /proc does not show it.
 */
export function childStatus(pid: number): ReadonlyMap<string, string> | undefined {
  const number = numberOfChild(pid);
  try {
    return number === undefined ? undefined : processStatus(number);
  } catch (error) {
    if (error instanceof SyscallError) return undefined;
    throw error;
  }
}
