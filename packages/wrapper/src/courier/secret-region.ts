import {
  closeDescriptor,
  createSecretMemory,
  type MapOptions,
  type Mapping,
  type SecretMemoryKind,
  SyscallError,
  sizeAndMap,
} from "@svc/kernel";
import {
  type RegionEntry,
  readGeneration,
  regionLength,
  reloadableLength,
  writeFirstGeneration,
  writeRegion,
} from "@svc/protocol";
import { hmacSha256, type SecretBytes, secretBytesFrom } from "@svc/secret-bytes";
import { WrapperError } from "../errors.ts";
import { lockFailure } from "../lock-limit-message.ts";
import type { FilledRegion, SecretEntry } from "./delivery.ts";

const PAGE_BYTES = 4096;

export interface RegionOptions {
  /** True if the values will be replaced while the program runs; by default false. */
  readonly reloadable?: boolean;
  /**
   * True if the program copies a generation to take it over, as the Go library does. It must then
   * be able to lock the copy, too. False by default.
   */
  readonly copied?: boolean;
  /** The treatment of pages that cannot be locked; an error by default. */
  readonly lock?: MapOptions;
}

// The copy, and the values of two generations. In slots, of which the first values take less than
// half.
const COPIED_SLOTS = 2;

/**
 * Sizes the region and writes the entries. A memfd_secret is sized once only, so this is the last
 * thing that can be refused for the size of the secrets.
 *
 * @throws WrapperError `MEMORY_LOCK_LIMIT` with the number of bytes that are needed.
 */
export function fillRegion(
  kind: SecretMemoryKind,
  fd: number,
  entries: readonly SecretEntry[],
  { reloadable = false, copied = false, lock }: RegionOptions = {},
): FilledRegion {
  const closed = regionEntries(entries);
  const lengthBytes = reloadable
    ? reloadableLength(closed)
    : Math.ceil(regionLength(closed) / PAGE_BYTES) * PAGE_BYTES;
  const mapping = mapOrExplain(lengthBytes, () => sizeAndMap({ fd, kind }, lengthBytes, lock));
  const offsets = reloadable
    ? writeFirstGeneration(closed, mapping.bytes).offsets
    : writeRegion(closed, mapping.bytes);
  const addresses = offsets.map((offset) => mapping.address + offset);
  if (!reloadable) return { fd, addresses, offsets, lengthBytes };
  const { slotBytes } = readGeneration(mapping.bytes);
  if (copied && kind === "memfd_secret") ensureSpare(lengthBytes, COPIED_SLOTS * slotBytes);
  return { fd, addresses, offsets, lengthBytes, slotBytes };
}

/**
 * Better refused now than at the first rotation: takes that size beside the region, and gives it
 * back.
 */
function ensureSpare(lengthBytes: number, spareBytes: number): void {
  const spare = createSecretMemory();
  try {
    mapOrExplain(lengthBytes + spareBytes, () => sizeAndMap(spare, spareBytes)).unmap();
  } finally {
    closeDescriptor(spare.fd);
  }
}

/** Entries as a region takes them. No value is opened. */
export function regionEntries(entries: readonly SecretEntry[]): readonly RegionEntry[] {
  return entries.map(({ variable, value }) => ({
    key: variable,
    value: {
      length: value.length,
      hasNul: value.includes(0),
      writeTo: (target) => void value.writeTo(target),
      equals: (bytes) => areEqual(value, secretBytesFrom(bytes)),
    },
  }));
}

/** Compares two closed secrets by digests under a key that is used once. */
function areEqual(one: SecretBytes, other: SecretBytes): boolean {
  const key = crypto.getRandomValues(new Uint8Array(32));
  return hmacSha256(key, [one]) === hmacSha256(key, [other]);
}

/** @throws WrapperError `MEMORY_LOCK_LIMIT` if the memory cannot be mapped. */
export function mapOrExplain(lengthBytes: number, map: () => Mapping): Mapping {
  try {
    return map();
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    throw new WrapperError([lockFailure("protect secrets", error, lengthBytes)], error);
  }
}
