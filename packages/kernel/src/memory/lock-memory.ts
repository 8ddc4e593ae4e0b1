import { libc } from "#native";
import { resourceLimit } from "../libc/resource-limit.ts";
import { checked } from "../libc/syscall-error.ts";

const MCL_CURRENT = 1;
const MCL_FUTURE = 2;
const MCL_ONFAULT = 4;
const RLIMIT_MEMLOCK = 8;

/**
 * Keeps every page that this process touches out of swap, those of mappings to come included;
 * mlockall(2). Not inherited by execve. For a program that has little to share memory with;
 * couriers lock pages for secrets alone.
 *
 * @throws SyscallError `ENOMEM` or `EPERM` if neither CAP_IPC_LOCK nor RLIMIT_MEMLOCK allows it.
 */
export function lockAllMemory(): void {
  checked("mlockall", libc.mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT));
}

/** The soft RLIMIT_MEMLOCK in bytes; Infinity if there is none; getrlimit(2). */
export function memoryLockLimit(): number {
  const { soft } = resourceLimit(RLIMIT_MEMLOCK);
  return soft === 0xffff_ffff_ffff_ffffn ? Number.POSITIVE_INFINITY : Number(soft);
}
