import type { KernelInode } from "../kernel-inode.ts";

/** Writes the kernel side's facts about processes. Every `pidfd` stays the caller's. */
export interface Marks {
  /**
   * Attempts on the process, and on its future children, are reported from now on.
   *
   * @param environment `bare` if it holds no value: then opening it is not an event, for ps
   * opens that of every process.
   */
  protect(pidfd: number, registration: bigint, environment?: "bare"): void;
  /**
   * The process's operations on its own registration are not events, and it is protected itself:
   * its commands to another process are not events either. It lasts until the process ends or
   * executes another program, longer than its stream and longer than the agent.
   */
  own(pidfd: number, registration: bigint): void;
  /** The process is a helper of the registration's wrapper, until it executes another file. */
  markHelper(pidfd: number, registration: bigint): void;
  /** The registration that the process is protected by; undefined if there is none. */
  protectedBy(pidfd: number): bigint | undefined;
  /** The registration that the process owns, of an agent before too; undefined if there is none. */
  ownedBy(pidfd: number): bigint | undefined;
  /** A process outside of every registration must not have a descriptor of these. */
  keepRegions(regions: readonly KernelInode[], registration: bigint): void;
}
