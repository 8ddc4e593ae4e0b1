import { systemCallTable } from "@svc/kernel";
import { execute } from "./execute.ts";
import { Fault } from "./memory.ts";
import type { MachineState } from "./state.ts";
import { endProcess } from "./stops.ts";
import type { Process, Thread } from "./thread.ts";

const EFAULT = 14;
const EBADF = 9;
const EINVAL = 22;
const MAP_SHARED = 1;
const AT_FDCWD = -100;
const EXIT_GROUP: Readonly<Record<string, number>> = { x64: 231, arm64: 94 };
const MOST_BYTES = 1 << 20;
const STAT_INODE = 8;

/** The name of a call by its number here; a text of the number if the machine has none. */
export function callName(state: MachineState, number: number): string {
  const { systemCalls } = state.layout;
  const names = { ...systemCalls, exit_group: EXIT_GROUP[state.architecture] };
  return Object.entries(names).find(([, own]) => own === number)?.[0] ?? String(number);
}

/** The number of a call of the preparing code. */
export function callNumber(state: MachineState, name: string): number {
  const { systemCalls } = state.layout;
  const names: Readonly<Record<string, number | undefined>> = {
    ...systemCalls,
    exit_group: EXIT_GROUP[state.architecture],
  };
  return names[name] ?? -1;
}

/** Whether the filter announces a call. */
export function isAnnounced(state: MachineState, number: number): boolean {
  const { execve, execveat, changesOfUser } = systemCallTable();
  const isChange = state.announcesUsers && changesOfUser.includes(number);
  return number === execve || number === execveat || isChange;
}

/** Makes a call; undefined if it does not return. */
export function perform(
  state: MachineState,
  thread: Thread,
  number: number,
  parameters: readonly number[],
): number | undefined {
  const { process } = thread;
  const name = callName(state, number);
  const refusal = process.refusals.get(name) ?? state.refusals.get(name);
  if (refusal !== undefined) return -refusal;
  try {
    return performNamed(state, thread, { name, number }, parameters);
  } catch (error) {
    if (error instanceof Fault) return -EFAULT;
    throw error;
  }
}

function performNamed(
  state: MachineState,
  thread: Thread,
  { name, number }: { readonly name: string; readonly number: number },
  parameters: readonly number[],
): number | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0] = parameters;
  const { memory, process } = thread;
  const segment = memory.at(first);
  switch (name) {
    case "mmap":
      return map(state, thread, parameters);
    case "munmap":
      return memory.unmap(first) ? 0 : -EINVAL;
    case "mlock":
      if (segment === undefined) return -EINVAL;
      segment.isLocked = true;
      return 0;
    case "madvise":
      if (segment === undefined || third !== 16) return -EINVAL;
      segment.isOutOfDumps = true;
      return 0;
    case "close":
      return process.descriptors.delete(first) ? 0 : -EBADF;
    case "fstat":
      return status(state, thread, first, second);
    case "execve":
      return executePath(state, thread, [AT_FDCWD, first, second, third]);
    case "execveat":
      return executePath(state, thread, [first, second, third, fourth]);
    case "exit_group":
      endProcess(state, process, { code: first });
      return undefined;
    default:
      if (number === systemCallTable().changesOfUser[0]) changeUser(state, process);
      return 0;
  }
}

/** It is no longer dumpable; its tracer needs a capability then, or has been there before. */
function changeUser(state: MachineState, process: Process): void {
  process.real = process.nextUser;
  process.effective = process.nextUser;
  process.saved = process.nextUser;
  process.isClosed = !state.tracesAllUsers;
}

function executePath(state: MachineState, thread: Thread, parameters: readonly number[]) {
  const [folder = 0, path = 0, argv = 0, envp = 0] = parameters;
  if (path === 0) return -EFAULT;
  const text = thread.memory.text(path);
  const place = folder === AT_FDCWD ? "/srv/app" : `/fd${folder}`;
  const full = text.startsWith("/") ? text : `${place}/${text}`;
  const result = execute(state, thread, { path: full, argv, envp });
  return result === 0 ? undefined : result;
}

function map(state: MachineState, { memory, process }: Thread, parameters: readonly number[]) {
  const [, length = 0, , flags = 0, fd = 0] = parameters;
  const isShared = (flags & MAP_SHARED) !== 0;
  if (isShared && process.descriptors.get(fd) !== "region") return -EBADF;
  if (isShared && length > state.region.bytes.length) return -EINVAL;
  // Each mapping is below the last one.
  const { mappingsEnd } = process;
  const starts = memory.segments.map(({ start }) => start);
  const lowest = Math.min(mappingsEnd, ...starts.filter((at) => at > mappingsEnd - MOST_BYTES));
  const start = lowest - Math.ceil(length / 4096) * 4096;
  memory.map({ start, bytes: isShared ? state.region.bytes : new Uint8Array(length), isShared });
  return start;
}

function status(state: MachineState, { memory, process }: Thread, fd: number, at: number): number {
  const descriptor = process.descriptors.get(fd);
  if (descriptor === undefined) return -EBADF;
  const inode = descriptor === "region" ? state.region.inode : 1;
  memory.setWord(at + STAT_INODE, BigInt(inode));
  return 0;
}
