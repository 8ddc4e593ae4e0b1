import { libc } from "#native";
import { checked } from "../libc/syscall-error.ts";

// asm-generic/resource.h; x86 and arm64 have this.
const RLIMIT_NOFILE = 7;

/**
 * Raises the descriptor limit of this process and its children to the hard limit; getrlimit(2). The
 * soft limit is 1,024 for the sake of programs that use select(2).
 *
 * @returns the limit.
 */
export function raiseDescriptorLimit(): number {
  const limit = new BigUint64Array(2);
  checked("getrlimit", libc.getrlimit(RLIMIT_NOFILE, limit));
  limit[0] = limit[1] ?? 0n;
  checked("setrlimit", libc.setrlimit(RLIMIT_NOFILE, limit));
  return Number(limit[0]);
}

/** The soft RLIMIT_NOFILE: how many descriptors this process may have; getrlimit(2). */
export function descriptorLimit(): number {
  const limit = new BigUint64Array(2);
  checked("getrlimit", libc.getrlimit(RLIMIT_NOFILE, limit));
  return Number(limit[0]);
}
