import { addressOf, libc } from "#native";
import { isRefused } from "./is-refused.ts";
import { checked, lastErrno, SyscallError } from "./syscall-error.ts";
import { systemCallTable } from "./system-call-numbers.ts";

/** A resource limit of this process; getrlimit(2). */
export interface ResourceLimit {
  readonly soft: bigint;
  readonly hard: bigint;
}

/**
 * Reads a limit; getrlimit(3), which calls prlimit64, and the older getrlimit(2) if a filter
 * refuses that.
 *
 * @param resource its number in asm-generic/resource.h.
 */
export function resourceLimit(resource: number): ResourceLimit {
  const limits = new BigUint64Array(2);
  if (libc.getrlimit(resource, limits) < 0) {
    const errno = lastErrno();
    if (!isRefused(errno)) throw new SyscallError("prlimit64", errno);
    const { getrlimit } = systemCallTable();
    checked("getrlimit", libc.syscall(getrlimit, resource, addressOf(limits), 0, 0, 0, 0));
  }
  const [soft = 0n, hard = 0n] = limits;
  return { soft, hard };
}
