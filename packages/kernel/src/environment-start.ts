import { readWholeFile } from "./files.ts";
import { SyscallError } from "./syscall-error.ts";

const MAX_STAT_BYTES = 4096;
// Field 50 of proc_pid_stat(5), counted from the third.
const ENVIRONMENT_FIELD = 47;

/**
 * Where in its memory the environment begins that a process was given by execve(2): `env_start` of proc_pid_stat(5).
 * Another execve puts it elsewhere. 0n where it cannot be told: nobody is there, or it may not be looked at
 * (PTRACE_MODE_READ).
 */
export function environmentStart(pid: number): bigint {
  try {
    const text = new TextDecoder().decode(readWholeFile(`/proc/${pid}/stat`, MAX_STAT_BYTES));
    // The name may hold spaces and parentheses; what follows the last one does not.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return BigInt(fields[ENVIRONMENT_FIELD] ?? 0);
  } catch (error) {
    if (error instanceof SyscallError) return 0n;
    throw error;
  }
}
