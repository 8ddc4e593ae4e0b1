import type { GuestMachine } from "./guest-machine.ts";

/** A kernel that a guest can be booted with. */
export interface GuestImage {
  readonly machine: GuestMachine;
  /** As uname(1) says it. */
  readonly release: string;
  readonly image: string;
  /** What a guest needs to reach this machine's files, in the order in which they are to be loaded. */
  readonly modules: readonly Uint8Array[];
}
