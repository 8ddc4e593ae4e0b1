import type { BpfMap } from "@svc/kernel";
import { KINDS_MAX } from "../events/event-layout.ts";

/** How many events found their ring full, since the object was loaded. */
export interface DropCounts {
  readonly violations: bigint;
  readonly everything: bigint;
  /** Tasks that should have inherited their protection and could not. */
  readonly inheritances: bigint;
}

/** Reads the object's map `dropped`: ring * SVC_KINDS_MAX + kind, a number for each processor. */
export function readDrops(dropped: BpfMap): DropCounts {
  const count = (ring: number, from: number, to: number) => {
    let total = 0n;
    for (let kind = from; kind < to; kind += 1) total += sumAt(dropped, ring * KINDS_MAX + kind);
    return total;
  };
  return {
    // SVC_KIND_NONE, which does not stand for an event, comes first.
    violations: count(0, 1, KINDS_MAX),
    everything: count(1, 1, KINDS_MAX),
    inheritances: sumAt(dropped, 0),
  };
}

/** The sum over all processors of one value of a map. */
export function sumAt(map: BpfMap, index: number): bigint {
  const key = new Uint8Array(new Uint32Array([index]).buffer);
  const values = new BigUint64Array(map.lookup(key)?.buffer ?? new ArrayBuffer());
  return values.reduce((total, value) => total + value, 0n);
}
