/** The facts that decide whether a core dump of a process shows its stack; core(5). */
export interface CoreDumpRules {
  /** The text of /proc/PID/coredump_filter: bits in hexadecimal. */
  readonly filter: string;
  /** The text of /proc/PID/limits. */
  readonly limits: string;
  /** The text of /proc/sys/kernel/core_pattern. */
  readonly pattern: string;
}

const ANONYMOUS_PRIVATE = 1;

/**
 * Pure: a limit of 0 counts for files only. A dump that goes to a program (`|`), or since Linux 6.16
 * to a socket (`@`), is whole all the same.
 */
export function dumpsStack({ filter, limits, pattern }: CoreDumpRules): boolean {
  if ((Number.parseInt(filter, 16) & ANONYMOUS_PRIVATE) === 0) return false;
  return /^[|@]/.test(pattern) || !/^Max core file size +0 /m.test(limits);
}
