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
 * Pure: a limit of 0 counts for files only; a dump that goes to a program is whole all the same.
 */
export function dumpsStack({ filter, limits, pattern }: CoreDumpRules): boolean {
  if ((Number.parseInt(filter, 16) & ANONYMOUS_PRIVATE) === 0) return false;
  return pattern.startsWith("|") || !/^Max core file size +0 /m.test(limits);
}
