import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { findInMemory, leaksIn } from "./leak-search.ts";
import { childrenOf, stateOf } from "./process-facts.ts";

/** Files of /proc/PID that hold the arguments and environment of a process. */
const files = ["environ", "cmdline", "auxv", "comm", "status", "maps"] as const;

/**
 * Searches everything of a process that root can read: its memory, its arguments and environment,
 * and the files that it has open. Returns the places in which each text was found.
 */
export function searchProcess(pid: number, texts: readonly string[]): readonly string[] {
  return [
    ...findInMemory(pid, texts).map((text) => `memory of ${pid}: ${text}`),
    ...files.flatMap((name) => searchFile(`/proc/${pid}/${name}`, texts)),
    ...readdirSync(`/proc/${pid}/fd`).flatMap((fd) =>
      searchOpenFile(`/proc/${pid}/fd/${fd}`, texts),
    ),
  ];
}

/** Every process below one, and itself; not those that end while they are looked at. */
export function treeOf(pid: number): readonly number[] {
  const threads = threadsOf(pid);
  if (threads.length === 0) return [];
  // Each thread has its own children.
  return [pid, ...threads.flatMap((thread) => childrenOf(pid, thread)).flatMap(treeOf)];
}

/** None if the process has ended. */
function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch (error) {
    if (stateOf(pid) === undefined) return [];
    throw error;
  }
}

/** Pipes and sockets would block; they hold the output of processes. */
function searchOpenFile(path: string, texts: readonly string[]): readonly string[] {
  const target = linkAt(path);
  if (target === undefined) return [];
  if (/^(?:pipe|socket|anon_inode):|^\/dev\//.test(target)) return [];
  return searchFile(path, texts).map((found) => `${found} (${target})`);
}

/** Undefined if the file was closed since the descriptors were listed. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function searchFile(path: string, texts: readonly string[]): readonly string[] {
  try {
    return leaksIn(readFileSync(path), texts).map((leak) => `${path}: ${leak}`);
  } catch {
    // memfd_secret refuses to be opened again. Other processes cannot read it either.
    return [];
  }
}
