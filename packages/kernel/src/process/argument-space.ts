import { resourceLimit } from "../libc/resource-limit.ts";

const RLIMIT_STACK = 3;
const PART_OF_STACK = 4n;
// ARG_MAX of linux/limits.h, and three quarters of _STK_LIM; fs/exec.c.
const LEAST_BYTES = 128n * 1024n;
const MOST_BYTES = 6n * 1024n * 1024n;

/**
 * The bytes that execve(2) has for arguments and environment together: a quarter of the soft
 * RLIMIT_STACK, 128 KiB at least and 6 MiB at most.
 */
export function argumentSpace(): number {
  const part = resourceLimit(RLIMIT_STACK).soft / PART_OF_STACK;
  if (part < LEAST_BYTES) return Number(LEAST_BYTES);
  return Number(part > MOST_BYTES ? MOST_BYTES : part);
}
