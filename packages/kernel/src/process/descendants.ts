import { processId } from "#native";
import { directoryNames } from "../files/directory-names.ts";
import { readWholeFile } from "../files/files.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { isAbsent, type PidOfNumber, pidReader, viewOfProc } from "./proc-view.ts";
import { statField } from "./process-stat.ts";

const MAX_STAT_BYTES = 4096;
const MAX_CHILDREN_BYTES = 1 << 20;
// proc_pid_stat(5)
const STATE = 3;
const PARENT = 4;
/** The kernel gives it to no process. */
const NO_PID = 0;
/** In place of a parent: the kernel did not tell it. */
const UNREAD = -1;

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
 * The processes that descend from this one, by the pids of its PID namespace, as descendantsOf finds
 * them. It also finds them in a /proc of an outer namespace, which shows them by other numbers.
 *
 * @throws SyscallError if the kernel does not tell all of them, though /proc is there.
 */
export function ownDescendants(
  isLeftOut: (pid: number) => boolean = () => false,
): readonly number[] {
  const view = viewOfProc();
  switch (view.kind) {
    case "own":
      return shownDescendants(processId(), isLeftOut);
    case "missing":
      return [];
    case "untold":
      throw view.error;
    case "foreign": {
      const pidOf = pidReader();
      const isKept = (number: number) => isLeftOut(pidOf(number) ?? NO_PID);
      return pidsOf(shownDescendants(Number(view.shownAs), isKept), pidOf);
    }
  }
}

/**
 * The same by the numbers of /proc.
 *
 * @param self the number of this process.
 */
function shownDescendants(self: number, isLeftOut: (number: number) => boolean): readonly number[] {
  const names = processNames();
  if (names instanceof SyscallError) {
    // Its children are told at another place. Theirs become its own when they have ended.
    const children = childrenOfThread(self);
    if (children === undefined) throw names;
    return children.filter((number) => !isLeftOut(number));
  }
  const processes = processesNamed(names);
  const found = descendantsAmong(processes, self, isLeftOut);
  const unread = processes.filter(({ parent }) => parent === UNREAD);
  if (unread.length === 0) return found;
  // No descriptor or memory was left for its status. It may be a child all the same.
  const children = childrenOfThread(self) ?? [];
  const more = unread.map(({ pid }) => pid).filter((number) => children.includes(number));
  return [...found, ...more.filter((number) => !isLeftOut(number))];
}

/**
 * The children of this process's first thread, by the pids of its PID namespace; proc_pid_task(5),
 * `children`. Much cheaper than ownDescendants. Undefined if the kernel does not tell all of them.
 */
export function ownChildren(): readonly number[] | undefined {
  const view = viewOfProc();
  switch (view.kind) {
    case "own":
      return childrenOfThread(processId());
    case "missing":
    case "untold":
      return undefined;
    case "foreign": {
      const numbers = childrenOfThread(Number(view.shownAs));
      return numbers && unlessUntold(() => pidsOf(numbers, pidReader()));
    }
  }
}

/**
 * The number under which /proc shows a child of this process's first thread; undefined if it does
 * not, or the kernel does not tell.
 */
export function numberOfChild(pid: number): number | undefined {
  const view = viewOfProc();
  switch (view.kind) {
    case "own":
      return pid;
    case "missing":
    case "untold":
      return undefined;
    case "foreign": {
      const numbers = childrenOfThread(Number(view.shownAs));
      return unlessUntold(() => {
        const pidOf = pidReader();
        return numbers?.find((number) => pidOf(number) === pid);
      });
    }
  }
}

function unlessUntold<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyscallError) return undefined;
    throw error;
  }
}

/** @param thread by its number in /proc. */
function childrenOfThread(thread: number): readonly number[] | undefined {
  return unlessUntold(() => {
    const path = `/proc/self/task/${thread}/children`;
    const text = new TextDecoder().decode(readWholeFile(path, MAX_CHILDREN_BYTES));
    return text.split(" ").filter(Boolean).map(Number);
  });
}

/** Those of processes that have not ended meanwhile. */
function pidsOf(numbers: readonly number[], pidOf: PidOfNumber): readonly number[] {
  return numbers.map(pidOf).filter((pid) => pid !== undefined);
}

/** None if /proc cannot be listed. */
function runningProcesses(): readonly ProcessParent[] {
  if (viewOfProc().kind !== "own") return [];
  const names = processNames();
  return names instanceof SyscallError ? [] : processesNamed(names);
}

/** A process whose status cannot be read has `UNREAD` in place of its parent. */
function processesNamed(names: readonly string[]): readonly ProcessParent[] {
  return names.flatMap((name) => {
    const stat = statOf(name);
    if (stat === "unread") return { pid: Number(name), parent: UNREAD };
    if (stat === "ended" || "ZX".includes(statField(stat, STATE) ?? "X")) return [];
    return { pid: Number(name), parent: Number(statField(stat, PARENT)) };
  });
}

/** The numbers that /proc shows, or why it cannot be listed. */
function processNames(): readonly string[] | SyscallError {
  try {
    return directoryNames("/proc").filter((name) => /^\d+$/.test(name));
  } catch (error) {
    if (error instanceof SyscallError) return error;
    throw error;
  }
}

function statOf(pid: string): string {
  try {
    return new TextDecoder().decode(readWholeFile(`/proc/${pid}/stat`, MAX_STAT_BYTES));
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    return isAbsent(error) ? "ended" : "unread";
  }
}
