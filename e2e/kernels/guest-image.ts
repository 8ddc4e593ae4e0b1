import type { GuestMachine } from "./guest-machine.ts";

/** A kernel that a guest can be booted with. */
export interface GuestImage {
  readonly machine: GuestMachine;
  /** As uname(1) says it. */
  readonly release: string;
  readonly image: string;
  /** The modules by which a guest reaches this machine's files, in the order of loading. */
  readonly modules: readonly Uint8Array[];
}
