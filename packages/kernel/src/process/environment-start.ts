import { readWholeFile } from "../files/files.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { statField } from "./process-stat.ts";

const MAX_STAT_BYTES = 4096;
const ENVIRONMENT_FIELD = 50;

/**
 * The address of the environment that a process was given by execve(2): `env_start` of
 * proc_pid_stat(5). Another execve puts it elsewhere. 0n if it is not known: there is no such
 * process, or it may not be read (PTRACE_MODE_READ).
 */
export function environmentStart(pid: number): bigint {
  try {
    const text = new TextDecoder().decode(readWholeFile(`/proc/${pid}/stat`, MAX_STAT_BYTES));
    return BigInt(statField(text, ENVIRONMENT_FIELD) ?? 0);
  } catch (error) {
    if (error instanceof SyscallError) return 0n;
    throw error;
  }
}
