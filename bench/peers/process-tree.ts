import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process that runs. */
export interface TreeProcess {
  readonly pid: number;
  /** The path of its executable. */
  readonly executable: string;
}

/** A process and every one below it that has not ended: each thread has its own children. */
export function processTree(pid: number): readonly TreeProcess[] {
  const executable = executableOf(pid);
  const below = threadsOf(pid).flatMap((thread) => childrenOf(pid, thread).flatMap(processTree));
  return executable === undefined ? below : [{ pid, executable }, ...below];
}

/** The path of a process's executable; undefined once it has ended, be it as a zombie. */
export function executableOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function childrenOf(pid: number, thread: string): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8");
    return text.trim().split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
