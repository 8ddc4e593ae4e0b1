/** An argument of a function of libc: a number, an address, an array, or NULL. */
export type Argument = number | bigint | Uint8Array | Int32Array | BigInt64Array | null;

/** The result of a call, or the name of its error. */
export type Outcome = number | string;

/** One step of a child; a shell can do each of them. */
export type Step =
  | { readonly kind: "wait" }
  | { readonly kind: "say"; readonly word: string }
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "raise"; readonly signal: number }
  | { readonly kind: "ignore"; readonly signal: number }
  /** Says the pid of the new process. */
  | { readonly kind: "fork"; readonly steps: readonly Step[] };

/** The descriptors of a child. */
export interface ChildEnds {
  /** The child reads a line here for each `wait`. */
  readonly gate: number;
  /** The same for the children that it forks. */
  readonly innerGate: number;
  /** It says its words here. */
  readonly report: number;
}

/** The environment of each child. */
export const childEnvironment: readonly string[] = ["ONE=1", "TWO=with space"];

/** The last arguments of each child. */
export const childArguments: readonly string[] = ["name", "last word"];

/** A kernel that runs scripts of calls: the real one, or the simulated one. */
export interface KernelUnderTest {
  /** The process that makes the calls. */
  readonly pid: number;
  /** Calls a function of libc. */
  call(name: string, ...words: readonly Argument[]): Outcome;
  addressOf(array: Uint8Array): number;
  /** A view of mapped memory. */
  bytesAt(address: number, length: number): Uint8Array;
  /** A directory that is empty at first. */
  readonly folder: string;
  /** Starts a child in a process group that it leads, with no signal blocked. */
  spawn(steps: readonly Step[], ends: ChildEnds): number;
}

/** Makes calls, and lists the facts that both kernels must agree on. */
export type Script = (kernel: KernelUnderTest) => readonly Outcome[];

/** Scripts by the behaviour that they show. */
export type Scripts = Readonly<Record<string, Script>>;
