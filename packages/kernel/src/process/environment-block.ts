import { bytesAt, libc, readEnvironment } from "#native";

/** One `NAME=value` of the environment block, in the place that the kernel gave it. */
export interface EnvironmentEntry {
  readonly name: string;
  /** The name in the block, if the entry counts as another variable. */
  readonly writtenAs?: string;
  /** The address of `NAME=value`; a C string. */
  readonly address: number;
  /** Length of `NAME=value` in bytes, without the NUL. */
  readonly length: number;
  /** Offset of the value in the entry. */
  readonly valueOffset: number;
}

/**
 * Reads this process's environment by address; environ(7). Only names become strings; an entry
 * without `=` has the whole entry as its name and an empty value.
 *
 * `process.env` is not used: it is empty in the compiled programs (see scripts/build), and it would
 * make a JS string of a token that nothing can wipe again.
 */
export function environmentEntries(): readonly EnvironmentEntry[] {
  return readEnvironment();
}

/** The value's bytes, as a copy. */
export function valueBytes(entry: EnvironmentEntry): Uint8Array {
  return viewAt(entry.address, entry.length).slice(entry.valueOffset);
}

/** The value as text; throws TypeError if it is not UTF-8. */
export function valueText(entry: EnvironmentEntry): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(valueBytes(entry));
}

/** Copies the value to `target` by address, so that it never enters the JS heap. */
export function copyValue(entry: EnvironmentEntry, target: number): void {
  libc.memcpy(target, entry.address + entry.valueOffset, entry.length - entry.valueOffset);
}

/** Zeroes the whole entry in place, and with it what /proc/PID/environ shows. */
export function wipeEntry(entry: EnvironmentEntry): void {
  libc.memset(entry.address, 0, entry.length);
}

function viewAt(address: number, length: number): Uint8Array {
  if (length === 0) return new Uint8Array(0);
  // The kernel laid `length` bytes and a NUL there, and nothing frees the initial stack.
  return bytesAt(address, length);
}
