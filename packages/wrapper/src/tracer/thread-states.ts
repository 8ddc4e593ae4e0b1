import { directoryNames, readLink, readWholeFile, SyscallError } from "@svc/kernel";

/** Far above a list of mappings of any program. */
const MAX_FILE_BYTES = 64 << 20;

/** The threads of a process; none if it has ended. */
export function threadsOf(pid: number): readonly number[] {
  return orNothing(() => directoryNames(`/proc/${pid}/task`), []).map(Number);
}

/** The state of a thread, for a tracer. */
export type ThreadState =
  | "can be stopped"
  /** It waits in the kernel without reacting to signals: in vfork for its child, most likely. */
  | "uninterruptible"
  | "ended";

/** By the state letter of proc_pid_stat(5). */
export function threadState(pid: number, thread: number): ThreadState {
  switch (stateLetter(pid, thread)) {
    case "D":
      return "uninterruptible";
    case "Z":
    case "X":
    case undefined:
      return "ended";
    default:
      return "can be stopped";
  }
}

/**
 * The processes that a process has started and not yet waited for; none if the kernel does not
 * tell.
 */
export function childrenOf(pid: number): readonly number[] {
  return threadsOf(pid).flatMap((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
}

/** The start of each mapping of a process; none if this may not be known. */
export function mappingsOf(pid: number): ReadonlySet<number> {
  const lines = textOf(`/proc/${pid}/maps`).split("\n").filter(Boolean);
  return new Set(lines.map((line) => Number.parseInt(line, 16)));
}

/** A file of which a process has mapped the start. */
export interface MappedFile {
  readonly path: string;
  readonly address: number;
}

/** The files that a process runs, its program first: each by the first mapping of its start. */
export function mappedFiles(pid: number): readonly MappedFile[] {
  const pattern = /^([0-9a-f]+)-\S+ \S+ 0+ \S+ \d+ +(\/.*)$/gm;
  const files = new Map<string, MappedFile>();
  for (const [, start = "", path = ""] of textOf(`/proc/${pid}/maps`).matchAll(pattern)) {
    if (!files.has(path)) files.set(path, { path, address: Number.parseInt(start, 16) });
  }
  const program = linkOf(`/proc/${pid}/exe`);
  return [...files.values()].toSorted(
    (a, b) => Number(b.path === program) - Number(a.path === program),
  );
}

/** The tracer of a process; 0 if there is none. */
export function tracerOf(pid: number): number {
  return Number(/^TracerPid:\s+(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** The name of the program stands before it, in parentheses, and may hold anything. */
function stateLetter(pid: number, thread: number): string | undefined {
  return /\) (\w)[^)]*$/.exec(textOf(`/proc/${pid}/task/${thread}/stat`))?.[1];
}

function textOf(path: string): string {
  return orNothing(() => new TextDecoder().decode(readWholeFile(path, MAX_FILE_BYTES)), "");
}

function linkOf(path: string): string {
  return orNothing(() => readLink(path), "");
}

/** A process may have ended, or may not be looked at. */
function orNothing<T>(look: () => T, nothing: T): T {
  try {
    return look();
  } catch (error) {
    if (error instanceof SyscallError) return nothing;
    throw error;
  }
}
