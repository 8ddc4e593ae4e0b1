import { peekWord, pokeBytes, SyscallError } from "@svc/kernel";
import {
  findSlots,
  type Offsets,
  offsetsOf,
  type PlacedSlot,
  type Placement,
} from "./placement.ts";
import { type AlreadyTraced, type StoppedThreads, stopThreads } from "./stop-threads.ts";

const PAUSE_MS = 2;

/** What became of the variables of a running program. */
export type RepointOutcome =
  | {
      readonly kind: "repointed";
      /** How many variables lead to their new entries, of those that led to the earlier ones. */
      readonly count: number;
      readonly of: number;
      readonly placement: Placement;
    }
  | Exclude<StoppedThreads, { readonly kind: "stopped" }>;

export interface RepointOptions extends AlreadyTraced {
  readonly next: Offsets;
  /** Until when it tries again where a program is busy; performance.now. */
  readonly endMs: number;
}

/**
 * Points the variables of a running program at other entries of its region, while all of its threads
 * stand: a word that is written beside a running thread may be read half. A slot that the program has
 * changed since is left as it is. In any outcome the program runs on.
 */
export function repointRunning(
  pid: number,
  placement: Placement,
  options: RepointOptions,
): RepointOutcome {
  for (;;) {
    const stopped = stopThreads(pid, options);
    switch (stopped.kind) {
      case "busy":
        if (performance.now() >= options.endMs) return stopped;
        Bun.sleepSync(PAUSE_MS);
        break;
      case "gone":
      case "not permitted":
        return stopped;
      case "stopped":
        try {
          return repoint(stopped.threads[0] ?? pid, placement, options.next);
        } finally {
          stopped.release();
        }
    }
  }
}

function repoint(thread: number, placement: Placement, next: Offsets): RepointOutcome {
  try {
    const slots = findSlots(placement, (address) => peekWord(thread, address));
    const done = slots.filter((slot) => point(thread, slot, placement, next));
    const offsets = { ...offsetsOf(slots, placement.offsets), ...offsetsOf(done, next) };
    const of = Object.keys(placement.offsets).length;
    return { kind: "repointed", count: done.length, of, placement: { ...placement, offsets } };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    // SIGKILL ends it although it stands; by execve it has become a program without these slots.
    if (error.code === "ESRCH" || error.code === "EIO") return { kind: "gone" };
    throw error;
  }
}

function point(
  thread: number,
  { address, variable }: PlacedSlot,
  { regionAddress }: Placement,
  next: Offsets,
): boolean {
  const offset = next[variable];
  if (offset === undefined) return false;
  const pointer = BigUint64Array.of(BigInt(regionAddress + offset));
  pokeBytes(thread, address, new Uint8Array(pointer.buffer));
  return true;
}
