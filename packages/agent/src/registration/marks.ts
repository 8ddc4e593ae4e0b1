import type { KernelInode } from "../kernel-inode.ts";

/** Writes what the kernel side knows of processes. Every `pidfd` stays the caller's. */
export interface Marks {
  /**
   * Attempts on the process, and on what it will start, are reported from now on.
   *
   * @param environment `bare` where it holds no value: then opening it is not an event, for ps opens that of every process.
   */
  protect(pidfd: number, registration: bigint, environment?: "bare"): void;
  /**
   * What the process does to those of its own registration is not an event, and it is protected itself: whoever has it do something is no
   * event either.
   */
  own(pidfd: number, registration: bigint): void;
  /** Ends what `own` began; it stays protected. */
  disown(pidfd: number): void;
  /** The registration that the process is protected by; undefined where there is none. */
  protectedBy(pidfd: number): bigint | undefined;
  /** The registration that the process owns, of an agent before too; undefined where there is none. */
  ownedBy(pidfd: number): bigint | undefined;
  /** Whoever has a descriptor of these, and is of no registration, has what is none of his. */
  keepRegions(regions: readonly KernelInode[], registration: bigint): void;
}
