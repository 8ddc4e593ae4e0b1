import { peekWord, pokeBytes } from "@svc/kernel";
import type { InheritedRegion } from "../delivery-plan.ts";
import { findSlots, offsetsOf, type PlacedGeneration, type Placement } from "./placement.ts";

/** The start of the region's slot that the entries of a generation are in. */
export function currentSlot({ slotBytes }: InheritedRegion, { offsets }: PlacedGeneration): number {
  const [offset = 0] = Object.values(offsets);
  return slotBytes === undefined ? 0 : offset - (offset % slotBytes);
}

/**
 * Points variables that lead to the first values at the current ones: a shell has copied the first
 * values when it started, and means the variables.
 */
export function pointCopiesAtCurrent(
  pid: number,
  placement: Placement,
  first: PlacedGeneration,
): void {
  const copied = { ...placement, ...first };
  for (const slot of findSlots(copied, (address) => peekWord(pid, address))) {
    const offset = placement.offsets[slot.variable];
    if (offset === undefined) continue;
    const pointer = BigUint64Array.of(BigInt(placement.regionAddress + offset));
    pokeBytes(pid, slot.address, new Uint8Array(pointer.buffer));
  }
}

/**
 * A placement with the variables alone that lead to the region: a program may have changed some.
 */
export function currentIn(pid: number, placement: Placement): Placement {
  const found = findSlots(placement, (address) => peekWord(pid, address));
  return { ...placement, offsets: offsetsOf(found, placement.offsets) };
}
