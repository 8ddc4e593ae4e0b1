import { pause, peekWord, pokeBytes, SyscallError } from "@svc/kernel";
import { environAddress } from "./environ-address.ts";
import {
  findSlots,
  type Offsets,
  offsetsOf,
  type PlacedGeneration,
  type PlacedSlot,
  type Placement,
} from "./placement.ts";
import { type AlreadyTraced, type StoppedThreads, stopThreads } from "./stop-threads.ts";

const PAUSE_MS = 2;

/** The outcome for the variables of a running program. */
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
  readonly next: PlacedGeneration;
  /** Until when it tries again if a program is busy; performance.now. */
  readonly endMs: number;
}

/**
 * Points the variables of a running program at other entries of its region. All of its threads
 * are stopped then, because a running thread may read half of a changing word. A slot that the
 * program has changed since is left as it is. In any outcome the program runs on.
 */
export function repointRunning(
  pid: number,
  placement: Placement,
  options: RepointOptions,
): RepointOutcome {
  const environ = environAddress(pid);
  for (;;) {
    const stopped = stopThreads(pid, options);
    switch (stopped.kind) {
      case "busy":
        if (performance.now() >= options.endMs) return stopped;
        pause(PAUSE_MS);
        break;
      case "gone":
      case "not permitted":
        return stopped;
      case "stopped":
        try {
          return repoint(stopped.threads[0] ?? pid, { placement, environ }, options.next);
        } finally {
          stopped.release();
        }
    }
  }
}

/** The places that slots may have. */
interface Places {
  readonly placement: Placement;
  readonly environ: number | undefined;
}

function repoint(thread: number, places: Places, next: PlacedGeneration): RepointOutcome {
  const { placement } = places;
  try {
    const first = findSlots(placement, (address) => peekWord(thread, address));
    const moved = movedSlots(thread, places);
    const slots = [...first, ...(moved ?? [])];
    const done = slots.filter((slot) => point(thread, slot, placement, next.offsets));
    const offsets = { ...offsetsOf(slots, placement.offsets), ...offsetsOf(done, next.offsets) };
    const { generation } = next;
    // Only code that has kept an old pointer reads the remains of setenv.
    const count = done.filter((slot) => (moved ?? first).includes(slot)).length;
    const of = Object.keys(placement.offsets).length;
    return { kind: "repointed", count, of, placement: { ...placement, offsets, generation } };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    // SIGKILL ends it although it stands; by execve it has become a program without these slots.
    if (error.code === "ESRCH" || error.code === "EIO") return { kind: "gone" };
    throw error;
  }
}

/** Undefined if the slots are where they were, as far as that can be seen. */
function movedSlots(
  thread: number,
  { placement, environ }: Places,
): readonly PlacedSlot[] | undefined {
  if (environ === undefined) return undefined;
  try {
    const slotsAddress = Number(peekWord(thread, environ));
    if (slotsAddress === placement.slotsAddress) return undefined;
    const moved = { ...placement, slotsAddress, slotCount: Number.POSITIVE_INFINITY };
    return findSlots(moved, (address) => peekWord(thread, address));
  } catch (error) {
    // The program has none (clearenv), or something else of that name.
    if (error instanceof SyscallError && error.code === "EIO") return [];
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
