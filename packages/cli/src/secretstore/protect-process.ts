import { readFileSync } from "node:fs";
import { forbidDumps, lockAllMemory, SyscallError } from "@svc/kernel";

/**
 * Keeps the future data of this process out of core dumps, other processes' reach and, if that
 * is allowed, swap.
 * @returns a warning if memory may be written to swap
 */
export function protectProcess(): string | undefined {
  forbidDumps();
  try {
    lockAllMemory();
    return undefined;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (!hasSwap()) return undefined;
    return "this machine has swap, and memory cannot be locked: key shares may be written to it (CAP_IPC_LOCK, or RLIMIT_MEMLOCK unlimited, allows it)";
  }
}

/** The first line is the heading; without /proc the list is unknown. */
function hasSwap(): boolean {
  try {
    return readFileSync("/proc/swaps", "utf8").trim().split("\n").length > 1;
  } catch {
    return true;
  }
}
