import { processId } from "#native";
import { directoryNames } from "../files/directory-names.ts";
import { readWholeFile } from "../files/files.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { viewOfProc } from "./proc-view.ts";
import { statField } from "./process-stat.ts";

const MAX_STAT_BYTES = 4096;
const MAX_CHILDREN_BYTES = 1 << 20;
// proc_pid_stat(5)
const STATE = 3;
const PARENT = 4;

/** A process and its parent. */
export interface ProcessParent {
  readonly pid: number;
  readonly parent: number;
}

/**
 * The processes that descend from one, itself left out, as /proc shows them now. A process that has
 * ended and was not waited for is left out. Empty without a /proc of this PID namespace: the pids of
 * another one are those of strangers.
 *
 * @param isLeftOut of a process that is left out together with its descendants.
 */
export function descendantsOf(
  pid: number,
  isLeftOut: (pid: number) => boolean = () => false,
): readonly number[] {
  return descendantsAmong(runningProcesses(), pid, isLeftOut);
}

/** The same among given processes. Pure. */
export function descendantsAmong(
  processes: readonly ProcessParent[],
  pid: number,
  isLeftOut: (pid: number) => boolean = () => false,
): readonly number[] {
  const children = processes.filter((child) => child.parent === pid && !isLeftOut(child.pid));
  return children.flatMap((child) => [
    child.pid,
    ...descendantsAmong(processes, child.pid, isLeftOut),
  ]);
}

/**
 * The children of this process's first thread; proc_pid_task(5), `children`. Much cheaper than
 * descendantsOf. Undefined if the kernel does not tell.
 */
export function ownChildren(): readonly number[] | undefined {
  try {
    const path = `/proc/self/task/${processId()}/children`;
    const text = new TextDecoder().decode(readWholeFile(path, MAX_CHILDREN_BYTES));
    return text.split(" ").filter(Boolean).map(Number);
  } catch (error) {
    if (error instanceof SyscallError) return undefined;
    throw error;
  }
}

function runningProcesses(): readonly ProcessParent[] {
  if (viewOfProc().kind !== "own") return [];
  const pids = namesIn("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((name) => {
    const stat = statOf(name);
    if (stat === undefined || "ZX".includes(statField(stat, STATE) ?? "X")) return [];
    return { pid: Number(name), parent: Number(statField(stat, PARENT)) };
  });
}

function namesIn(path: string): readonly string[] {
  try {
    return directoryNames(path);
  } catch (error) {
    if (error instanceof SyscallError) return [];
    throw error;
  }
}

/** Undefined of one that has ended meanwhile. */
function statOf(pid: string): string | undefined {
  try {
    return new TextDecoder().decode(readWholeFile(`/proc/${pid}/stat`, MAX_STAT_BYTES));
  } catch (error) {
    if (error instanceof SyscallError) return undefined;
    throw error;
  }
}
