import { plainValue, type RegionValue } from "./region-value.ts";

/**
 * The format of the secret region: `KEY=VALUE` entries, each ended by one NUL byte, then zero bytes
 * to the end of the mapping. A key is UTF-8 without control characters and `=`, is not empty, and
 * occurs once (docs/decisions/0056); values hold no NUL.
 * The Go library and the preload interposer read the same format (formats/vectors/region).
 */
export interface RegionEntry {
  readonly key: string;
  readonly value: RegionValue;
}

/** An entry that was read; its value is a view into the region. */
export interface ReadEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

const EQUALS = 0x3d;
/** `=` ends a key. Control characters would forge lines in texts that show keys. */
const separator = /[=\p{Cc}]/u;
const encoder = new TextEncoder();
// A byte order mark is a part of the key: it must not vanish.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Why entries cannot be written, or bytes are not region. */
export class RegionFormatError extends Error {
  readonly code: RegionFormatErrorCode;
  /** The key it is about, if there is one. */
  readonly key: string | undefined;

  constructor(code: RegionFormatErrorCode, key?: string) {
    super(`${regionFormatErrorCatalogue[code].meaning}${key === undefined ? "" : `: "${key}"`}`);
    this.name = "RegionFormatError";
    this.code = code;
    this.key = key;
  }
}

/** Every way in which a region can be wrong. */
export const regionFormatErrorCatalogue = {
  INVALID_KEY: { meaning: "a key is empty, is not UTF-8, or holds = or a control character" },
  DUPLICATE_KEY: { meaning: "a key occurs twice" },
  NUL_IN_VALUE: { meaning: "a value holds a NUL byte" },
  NO_EQUALS: { meaning: "an entry has no =" },
  NOT_TERMINATED: { meaning: "the last entry does not end in NUL" },
  NOT_ZERO_FILLED: { meaning: "something follows the first empty entry" },
  BAD_TRAILER: { meaning: "the trailer is not that of a reloadable region" },
  KEY_REMOVED: { meaning: "a key that the program was given is gone" },
  BEHIND: { meaning: "pointers lead to a generation that is not the last" },
  TOO_LARGE: { meaning: "the entries do not fit their slot" },
} as const;

export type RegionFormatErrorCode = keyof typeof regionFormatErrorCatalogue;

/**
 * Checks the entries and returns the number of bytes that they take, at least one: an empty region
 * is a single NUL.
 *
 * @throws RegionFormatError for the first entry that cannot be written.
 */
export function regionLength(entries: readonly RegionEntry[]): number {
  const seen = new Set<string>();
  let length = 0;
  for (const { key, value } of entries) {
    if (!isKey(key)) throw new RegionFormatError("INVALID_KEY", key);
    if (seen.has(key)) throw new RegionFormatError("DUPLICATE_KEY", key);
    if (value.hasNul) throw new RegionFormatError("NUL_IN_VALUE", key);
    seen.add(key);
    length += entryLength({ key, value });
  }
  return Math.max(length, 1);
}

/**
 * Writes checked entries into a zeroed target of at least regionLength(entries) bytes.
 *
 * @returns the offset of each entry.
 */
export function writeRegion(
  entries: readonly RegionEntry[],
  target: Uint8Array,
): readonly number[] {
  let next = 0;
  return entries.map(({ key, value }) => {
    const start = next;
    const name = encoder.encode(key);
    const valueStart = start + name.length + 1;
    target.set(name, start);
    target[valueStart - 1] = EQUALS;
    value.writeTo(target.subarray(valueStart));
    next = valueStart + value.length + 1;
    return start;
  });
}

/** The offsets of checked entries that are written one behind the other. */
export function regionOffsets(entries: readonly RegionEntry[]): readonly number[] {
  let offset = 0;
  return entries.map((entry) => {
    const start = offset;
    offset += entryLength(entry);
    return start;
  });
}

/** With its `=` and its NUL. */
function entryLength({ key, value }: RegionEntry): number {
  return encoder.encode(key).length + value.length + 2;
}

function isKey(key: string): boolean {
  return key !== "" && !separator.test(key) && key.isWellFormed();
}

/**
 * Reads a region; values are views into it.
 *
 * @throws RegionFormatError if the bytes are not a region.
 */
export function readRegion(bytes: Uint8Array): readonly ReadEntry[] {
  const entries: ReadEntry[] = [];
  let start = 0;
  while (start < bytes.length && bytes[start] !== 0) {
    const end = bytes.indexOf(0, start);
    if (end < 0) throw new RegionFormatError("NOT_TERMINATED");
    entries.push(readEntry(bytes.subarray(start, end)));
    start = end + 1;
  }
  if (bytes.subarray(start).some((byte) => byte !== 0)) {
    throw new RegionFormatError("NOT_ZERO_FILLED");
  }
  regionLength(entries.map(({ key, value }) => ({ key, value: plainValue(value) })));
  return entries;
}

function readEntry(entry: Uint8Array): ReadEntry {
  const equals = entry.indexOf(EQUALS);
  if (equals < 0) throw new RegionFormatError("NO_EQUALS");
  return { key: decodedKey(entry.subarray(0, equals)), value: entry.subarray(equals + 1) };
}

function decodedKey(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new RegionFormatError("INVALID_KEY");
  }
}
