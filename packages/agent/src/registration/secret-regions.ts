import { readFileSync } from "node:fs";
import type { KernelInode } from "../kernel-inode.ts";
import { isGone } from "./process-facts.ts";

/** Secret memory, and ordinary memory under our name, as proc_pid_maps(5) calls them. */
const names = ["/secretmem (deleted)", "/memfd:svc-secrets (deleted)"];
/** A program has one, or a few while it rotates. */
const MOST_REGIONS = 64;

/**
 * The regions of secrets that a process has mapped; none of one that has ended, or that may not be
 * looked at.
 */
export function secretRegions(pid: number): readonly KernelInode[] {
  try {
    return regionsIn(readFileSync(`/proc/${pid}/maps`, "latin1"));
  } catch (error) {
    if (isGone(error) || isRefused(error)) return [];
    throw error;
  }
}

/** To an agent without CAP_SYS_PTRACE, which the kernel lets in no program either. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EACCES";
}

/**
 * Reads lines as `7f00-7f01 rw-s 00000000 00:0f 1234  /secretmem (deleted)`: device and inode are
 * the fourth and fifth words.
 */
export function regionsIn(maps: string): readonly KernelInode[] {
  const found = new Map<string, KernelInode>();
  for (const line of maps.split("\n")) {
    if (!names.some((name) => line.endsWith(name))) continue;
    const [, , , device = "", inode = ""] = line.split(" ");
    const [major = "", minor = ""] = device.split(":");
    const number = Number.parseInt(major, 16) * 2 ** 20 + Number.parseInt(minor, 16);
    if (!/^\d+$/.test(inode) || !Number.isSafeInteger(number)) continue;
    found.set(`${device} ${inode}`, { inode: BigInt(inode), device: number });
    if (found.size === MOST_REGIONS) break;
  }
  return [...found.values()];
}
