/** A file of the machine. */
export interface MachineFile {
  readonly path: string;
  /** Permission bits with set-user-ID and set-group-ID. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly inode: number;
  readonly contents: Uint8Array;
  readonly hasCapabilities: boolean;
  /** True if its file system ignores set-user-ID. */
  readonly isWithoutPrivileges: boolean;
  /** 32 for a program whose registers are others. */
  readonly bits: 32 | 64;
  /** The first entry of its auxiliary vector; AT_SYSINFO_EHDR by default. */
  readonly firstAuxiliary: number;
  /** False if its auxiliary vector has no AT_EXECFN. */
  readonly hasPath: boolean;
  readonly behavior: Behavior;
}

/** The view that a program has of itself. */
export interface Itself {
  /** Its variables, as getenv(3) finds them. */
  readonly variables: Readonly<Record<string, string>>;
  readonly pid: number;
}

/** The life of a program from its first instruction on. It gets the result of each action. */
export type Behavior = (itself: Itself) => Generator<Action, void, number>;

/** A step of a program. */
export type Action =
  | {
      readonly kind: "execute";
      readonly path: string;
      /** Variables that it adds or replaces; null removes one. */
      readonly environment?: Readonly<Record<string, string | null>>;
      /** By execveat(2), with this folder's descriptor. */
      readonly folder?: number;
    }
  | { readonly kind: "fork" | "vfork" | "thread"; readonly child: Behavior }
  /** Any other system call. */
  | { readonly kind: "call"; readonly number: number; readonly arguments?: readonly number[] }
  /** setuid(2) of user and group, as a program that drops root. */
  | { readonly kind: "change user"; readonly user: number }
  /** Sends a signal to the own thread. */
  | { readonly kind: "raise"; readonly signal: number }
  | { readonly kind: "sleep" }
  /** Ends the own thread, and not the process. */
  | { readonly kind: "end thread" }
  /** A wait that no signal ends, as for a disk. */
  | { readonly kind: "wait in the kernel" }
  /** A long way to its next instruction: it stops late. */
  | { readonly kind: "dawdle" }
  | { readonly kind: "exit"; readonly code: number };

let nextInode = 100;

/** A program file. By default it sleeps. */
export function programFile(path: string, more: Partial<MachineFile> = {}): MachineFile {
  nextInode += 1;
  return {
    path,
    mode: 0o755,
    uid: 0,
    gid: 0,
    inode: nextInode,
    contents: new Uint8Array(16),
    hasCapabilities: false,
    isWithoutPrivileges: false,
    bits: 64,
    firstAuxiliary: 33,
    hasPath: true,
    behavior: sleeps,
    ...more,
  };
}

/** Sleeps for ever, as a server. */
export function* sleeps(): Generator<Action, void, number> {
  for (;;) yield { kind: "sleep" };
}

/** Ends at once. */
export function* endsWith(code: number): Generator<Action, void, number> {
  yield { kind: "exit", code };
}

/** Makes some actions one after the other, and ends with 0. */
export function doing(...actions: readonly Action[]): Behavior {
  return function* behavior() {
    yield* actions;
    yield { kind: "exit", code: 0 };
  };
}

/** Makes some actions one after the other, and sleeps. */
export function doingThenSleeping(...actions: readonly Action[]): Behavior {
  return function* behavior() {
    yield* actions;
    yield* sleeps();
  };
}
