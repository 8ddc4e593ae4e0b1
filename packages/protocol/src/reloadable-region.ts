/**
 * A secret region whose values can be replaced while programs read it (`SVC_ROTATION=sighup`):
 * slots 0, 1 and 2, and a page with the trailer. Each slot is a plain region (region-format.ts) of
 * `slotBytes`, a multiple of 4096. The trailer is the last 32 bytes of the file, little-endian:
 *
 * | bytes | what |
 * |---|---|
 * | 0 to 7 | the generation: 0 is in slot 0, which is never written again; odd ones are in slot 1, even ones in slot 2 |
 * | 8 to 15 | slotBytes |
 * | 16 to 30 | zero |
 * | 31 | 1: a plain region ends in a zero byte, which tells the two apart |
 *
 * The text behind a pointer into generation 0 stays whole for ever. Programs keep pointers that
 * they took when they started. A reader that knows plain regions only, and stops at the first empty
 * entry, reads this generation. A later generation is written into the slot that is not current,
 * zeroed first, and becomes current by one sequentially consistent store of its number. So the text
 * behind a pointer into generation `g` stays whole until generation `g + 2` is begun. That is after
 * `g + 1` is current: no sooner than the minimum interval between rotations.
 *
 * A reader that copies loads the generation (acquire), copies, and loads it again behind an acquire
 * fence. The copy is whole if both are the same number, and only then. With the next number the
 * writer may already be at the number after it, in the slot that was copied. (Generation 0 needs no
 * second look.)
 */
import {
  type ReadEntry,
  type RegionEntry,
  RegionFormatError,
  readRegion,
  regionLength,
  regionOffsets,
  writeRegion,
} from "./region-format.ts";

const PAGE_BYTES = 4096;
const SLOTS = 3;
const TRAILER_BYTES = 32;
const SLOT_BYTES_AT = 8;
const RESERVED_AT = 16;
const MARK = 1;

/** The current generation of a reloadable region. */
export interface Generation {
  readonly generation: number;
  /** The offset of its slot in the region. */
  readonly slotOffset: number;
  readonly slotBytes: number;
  readonly entries: readonly ReadEntry[];
}

/** The written generation. */
export interface WrittenGeneration {
  readonly generation: number;
  /** The offset of each entry, from the start of the region, in the order of the entries. */
  readonly offsets: readonly number[];
}

/**
 * Checks the entries and returns the number of bytes of a reloadable region that begins with them.
 * Each slot has room for twice as much, and 4096 bytes: values may become longer.
 *
 * @throws RegionFormatError for the first entry that cannot be written.
 */
export function reloadableLength(entries: readonly RegionEntry[]): number {
  return SLOTS * toPages(2 * regionLength(entries) + PAGE_BYTES) + PAGE_BYTES;
}

/**
 * Writes generation 0 of checked entries into a zeroed target of reloadableLength(entries) bytes.
 */
export function writeFirstGeneration(
  entries: readonly RegionEntry[],
  target: Uint8Array,
): WrittenGeneration {
  const slotBytes = slotBytesOf(target.length);
  if (slotBytes === undefined) throw new RangeError("the target is not three slots and a page");
  const offsets = writeRegion(entries, target.subarray(0, slotBytes));
  trailerOf(target).setBigUint64(SLOT_BYTES_AT, BigInt(slotBytes), true);
  target[target.length - 1] = MARK;
  return { generation: 0, offsets };
}

export interface NextOptions {
  /** The variables that the program was given: they cannot be taken from it again. */
  readonly required: readonly string[];
  /**
   * The generation of pointers that another process moves on: it must be the last, or 0, which is
   * never overwritten; by default 0. The writer of a later one may have been killed before its
   * report arrived.
   */
  readonly pointedAt?: number | undefined;
}

/**
 * Writes the next generation and makes it current. The region may be read meanwhile; it must have
 * no other writer, and must start at a multiple of 8.
 *
 * @throws RegionFormatError `BAD_TRAILER` if it is not a reloadable region. `KEY_REMOVED`,
 * `TOO_LARGE` and `BEHIND` if only a new start of the program can bring the entries. Also for
 * entries that cannot be written. Nothing was written then.
 */
export function writeNextGeneration(
  region: Uint8Array,
  entries: readonly RegionEntry[],
  { required, pointedAt = 0 }: NextOptions,
): WrittenGeneration {
  const slotBytes = checkedSlotBytes(region);
  const length = regionLength(entries);
  const keys = new Set(entries.map(({ key }) => key));
  for (const key of required) if (!keys.has(key)) throw new RegionFormatError("KEY_REMOVED", key);
  if (length > slotBytes) throw new RegionFormatError("TOO_LARGE");
  // An acquiring load: a reader that sees a later byte finds at least this generation.
  const current = loadGeneration(region);
  if (pointedAt !== 0 && pointedAt !== current) return lastWritten(region, entries);
  const next = current + 1;
  const slotOffset = slotOf(next) * slotBytes;
  const slot = region.subarray(slotOffset, slotOffset + slotBytes).fill(0);
  const offsets = writeRegion(entries, slot).map((offset) => slotOffset + offset);
  Atomics.store(generationOf(region), 0, BigInt(next));
  return { generation: next, offsets };
}

/** The current generation if it is the same: the next would overwrite the pointers' targets. */
function lastWritten(region: Uint8Array, entries: readonly RegionEntry[]): WrittenGeneration {
  const last = readGeneration(region);
  if (!areSame(last.entries, entries)) throw new RegionFormatError("BEHIND");
  const offsets = regionOffsets(entries).map((offset) => last.slotOffset + offset);
  return { generation: last.generation, offsets };
}

/** The same keys with the same values, in the same order. */
function areSame(found: readonly ReadEntry[], wanted: readonly RegionEntry[]): boolean {
  if (found.length !== wanted.length) return false;
  return wanted.every(({ key, value }, index) => {
    const entry = found[index];
    return entry?.key === key && value.equals(entry.value);
  });
}

/** True for a reloadable region, and for nothing that is a plain one. */
export function isReloadable(region: Uint8Array): boolean {
  return region.at(-1) === MARK;
}

/**
 * Reads the current generation. Values are views, and whole until the generation after the next is
 * begun. The region must start at a multiple of 8.
 *
 * @throws RegionFormatError if it is not a reloadable region.
 */
export function readGeneration(region: Uint8Array): Generation {
  const slotBytes = checkedSlotBytes(region);
  const generation = loadGeneration(region);
  const slotOffset = slotOf(generation) * slotBytes;
  const entries = readRegion(region.subarray(slotOffset, slotOffset + slotBytes));
  return { generation, slotOffset, slotBytes, entries };
}

/**
 * Reads the current generation from a copy that no writer can reach; the caller wipes it. Begins
 * again for as long as a generation becomes current meanwhile.
 *
 * @throws RegionFormatError if it is not a reloadable region.
 */
export function copyGeneration(region: Uint8Array): Generation & { readonly copy: Uint8Array } {
  const slotBytes = checkedSlotBytes(region);
  for (;;) {
    const generation = loadGeneration(region);
    const slotOffset = slotOf(generation) * slotBytes;
    const copy = region.slice(slotOffset, slotOffset + slotBytes);
    if (loadGeneration(region) === generation) {
      return { generation, slotOffset, slotBytes, entries: readRegion(copy), copy };
    }
    copy.fill(0);
  }
}

/** The program may write to its region: all data read from it is checked. */
function checkedSlotBytes(region: Uint8Array): number {
  const slotBytes = slotBytesOf(region.length);
  const trailer = trailerOf(region);
  const reserved = region.subarray(region.length - TRAILER_BYTES + RESERVED_AT, -1);
  if (
    slotBytes === undefined ||
    !isReloadable(region) ||
    trailer.getBigUint64(SLOT_BYTES_AT, true) !== BigInt(slotBytes) ||
    reserved.some((byte) => byte !== 0)
  ) {
    throw new RegionFormatError("BAD_TRAILER");
  }
  return slotBytes;
}

function loadGeneration(region: Uint8Array): number {
  const generation = Atomics.load(generationOf(region), 0);
  // No lifecycle counts that far.
  if (generation >= BigInt(Number.MAX_SAFE_INTEGER)) throw new RegionFormatError("BAD_TRAILER");
  return Number(generation);
}

function generationOf(region: Uint8Array): BigUint64Array<ArrayBufferLike> {
  const at = region.byteOffset + region.length - TRAILER_BYTES;
  return new BigUint64Array(region.buffer, at, 1);
}

function trailerOf(region: Uint8Array): DataView {
  const length = Math.min(TRAILER_BYTES, region.length);
  return new DataView(region.buffer, region.byteOffset + region.length - length, length);
}

function slotOf(generation: number): number {
  return generation === 0 ? 0 : 2 - (generation % 2);
}

/** Undefined if that is not a length of a reloadable region. */
function slotBytesOf(length: number): number | undefined {
  const slotBytes = (length - PAGE_BYTES) / SLOTS;
  return slotBytes > 0 && slotBytes % PAGE_BYTES === 0 ? slotBytes : undefined;
}

function toPages(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
}
