import { randomFillSync } from "node:crypto";
import type { BpfMap } from "@svc/kernel";

/** `struct siphash_key` of bpf/siphash.h. */
const KEY_BYTES = 16;
const first = new Uint8Array(new Uint32Array([0]).buffer);

/**
 * Fills the key that the kernel side hashes variables of the dynamic loader with, so that no process
 * can find two with one hash. A key that an agent before has left stays, because its hashes do.
 *
 * @param map the object's map `loader_key`
 */
export function fillLoaderKey(map: Pick<BpfMap, "lookup" | "update">): void {
  if (map.lookup(first)?.some((byte) => byte !== 0) === true) return;
  map.update(first, randomFillSync(new Uint8Array(KEY_BYTES)));
}
