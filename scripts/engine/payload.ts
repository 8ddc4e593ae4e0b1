import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type { Architecture } from "../build/bundle/architecture.ts";
import { run } from "./run.ts";

/** The first bytes of a payload; engine/host/src/sys/image/payload.rs. */
const MARK = "svc payload here";

/** The smallest pages of x86-64 and arm64. */
const PAGE_BYTES = 4096;

/** The offsets of the numbers of a payload's head: little-endian, of 64 bits each. */
const HEAD_BYTES_AT = 16;
const ROOM_BYTES_AT = 24;
const PACK_BYTES_AT = 32;
const FILE_OFFSET_AT = 72;
const FILE_SUM_AT = 80;

/** Set in the sum of an executable that has one. */
const HAS_SUM = 1n << 32n;

/**
 * Attempts that have to make the same image, in both surroundings together. By chance 20 of 600
 * attempts differed, 10 of them in the same way. Two of these in a row would be taken by one of
 * 3,600 builds, and three by one of 200,000.
 */
const VOTES = 3;
/** Enough for three votes and some that differ: only a fact of the surroundings uses them up. */
const ATTEMPTS = 12;

/**
 * Puts compiled modules into a wrapper's executable that has none.
 *
 * @throws Error if the executable has no place for them, or they are too large.
 */
export function putModules(wrapper: string, pack: string): void {
  const bytes = readFileSync(wrapper);
  const modules = readFileSync(pack);
  const place = placeIn(bytes, wrapper);
  const number = (at: number) => Number(bytes.readBigUInt64LE(place + at));
  const [head, room] = [number(HEAD_BYTES_AT), number(ROOM_BYTES_AT)];
  if (modules.length > room) {
    throw new Error(
      `put modules into ${wrapper}: they have ${modules.length} bytes, and the room has ${room}\n` +
        "hint: raise ROOM_BYTES in engine/host/src/sys/image/payload.rs",
    );
  }
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(modules.length));
  write(wrapper, length, place + PACK_BYTES_AT);
  write(wrapper, modules, place + head);
}

/**
 * Puts the image of its booted script into a wrapper that has its modules: the wrapper itself makes
 * it (docs/decisions/0080).
 *
 * A wrapper for another architecture stays without one, and boots from its modules.
 *
 * @throws Error if no image can be made, if images differ, or if it has no place.
 */
export function putImage(wrapper: string, architecture: Architecture["name"]): void {
  if (architecture !== process.arch) return;
  // Not in /tmp: it may be mounted with noexec.
  const folder = mkdtempSync(join(dirname(wrapper), "image-"));
  try {
    const elsewhere = join(folder, "a wrapper with another name");
    copyFileSync(wrapper, elsewhere);
    const surroundings = { SVC_NAME: "of another environment", TZ: "Pacific/Kiritimati" };
    const file = join(folder, "image");
    const image = agreed((attempt) =>
      attempt % 2 === 0 ? makeImage(wrapper, file, {}) : makeImage(elsewhere, file, surroundings),
    );
    write(wrapper, image, placeIn(readFileSync(wrapper), wrapper));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Notes the sum of a wrapper that is complete. A wrapper that cannot go on looks whether its file
 * still has that sum; engine/host/src/sys/damage.rs.
 *
 * @throws Error if it has no place for that.
 */
export function putSum(wrapper: string): void {
  const bytes = readFileSync(wrapper);
  const place = placeIn(bytes, wrapper);
  bytes.writeBigUInt64LE(BigInt(place), place + FILE_OFFSET_AT);
  bytes.writeBigUInt64LE(0n, place + FILE_SUM_AT);
  bytes.writeBigUInt64LE(BigInt(crc32(bytes)) | HAS_SUM, place + FILE_SUM_AT);
  write(
    wrapper,
    bytes.subarray(place + FILE_OFFSET_AT, place + FILE_SUM_AT + 8),
    place + FILE_OFFSET_AT,
  );
}

/**
 * The image on which attempts agree; they alternate between two surroundings. An image that has a
 * fact of its surroundings never gets enough votes. An attempt differs by chance if remains of a
 * pointer look like something else at some addresses of the executable or the stack.
 *
 * @throws Error if the attempts do not agree.
 */
export function agreed(make: (attempt: number) => Buffer): Buffer {
  const images: { readonly image: Buffer; readonly attempts: number[] }[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const image = make(attempt);
    const found = images.find((other) => other.image.equals(image)) ?? { image, attempts: [] };
    if (found.attempts.length === 0) images.push(found);
    found.attempts.push(attempt);
    const places = new Set(found.attempts.map((made) => made % 2));
    if (found.attempts.length >= VOTES && places.size === 2) return image;
  }
  const [first, second] = images;
  const difference =
    first === undefined || second === undefined ? "" : differenceOf(first.image, second.image);
  throw new Error(`make an image: ${difference}: a module asks the system`);
}

function makeImage(
  wrapper: string,
  path: string,
  environment: Readonly<Record<string, string>>,
): Buffer {
  run([wrapper, "--make-image", path], environment);
  return readFileSync(path);
}

function differenceOf(image: Buffer, again: Buffer): string {
  if (image.length !== again.length) return `two have ${image.length} and ${again.length} bytes`;
  return `two differ at byte ${image.findIndex((byte, index) => byte !== again[index])}`;
}

/** A payload begins with a page. Code that is not optimised has the mark in other places, too. */
function placeIn(bytes: Buffer, wrapper: string): number {
  const places: number[] = [];
  for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 1)) {
    if (at % PAGE_BYTES === 0) places.push(at);
  }
  const [place, ...others] = places;
  if (place === undefined || others.length > 0) {
    throw new Error(`put a payload into ${wrapper}: it must have one place for it`);
  }
  return place;
}

function write(path: string, bytes: Buffer, position: number): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, bytes, 0, bytes.length, position);
  } finally {
    closeSync(file);
  }
}
