import { libc } from "#native";
import { resourceLimit } from "../libc/resource-limit.ts";
import { checked, SyscallError } from "../libc/syscall-error.ts";
import { closeDescriptor, duplicateFrom } from "./descriptors.ts";

// asm-generic/resource.h; x86 and arm64 have this.
const RLIMIT_NOFILE = 7;

/**
 * Raises the descriptor limit of this process and its children to the hard limit; getrlimit(2). The
 * soft limit is 1,024 for the sake of programs that use select(2).
 *
 * @returns the limit.
 */
export function raiseDescriptorLimit(): number {
  const { hard } = resourceLimit(RLIMIT_NOFILE);
  checked("setrlimit", libc.setrlimit(RLIMIT_NOFILE, BigUint64Array.of(hard, hard)));
  return Number(hard);
}

/** The soft RLIMIT_NOFILE: how many descriptors this process may have; getrlimit(2). */
export function descriptorLimit(): number {
  return Number(resourceLimit(RLIMIT_NOFILE).soft);
}

/**
 * How many more descriptors this process can open, `most` at most. It tries: inherited descriptors
 * count, and only the kernel knows them.
 *
 * @param fd any open one
 */
export function descriptorsLeft(fd: number, most: number): number {
  const opened: number[] = [];
  try {
    while (opened.length < most) opened.push(duplicateFrom(fd, 0));
  } catch (error) {
    if (!(error instanceof SyscallError) || error.code !== "EMFILE") throw error;
  } finally {
    for (const copy of opened) closeDescriptor(copy);
  }
  return opened.length;
}
