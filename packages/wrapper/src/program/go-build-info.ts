import { closeDescriptor, openRegularFile, readAt } from "@svc/kernel";
import { latin1Text } from "../latin1.ts";

/** The Go module whose import means that a program reads the secret region itself. */
export const libraryModule = "svc.internal/secrets";

// The bytes as Latin-1.
const MAGIC = "\xff Go buildinf:";
const HEADER_BYTES = 32;
const FLAG_INLINE_STRINGS = 2;
const MAX_SECTIONS_BYTES = 1 << 20;
const MAX_INFO_BYTES = 4 << 20;

/** True for an executable built by Go that depends on our library, or is part of it. */
export function importsLibrary(path: Uint8Array): boolean {
  try {
    const info = readBuildInfo(path);
    return info
      .split("\n")
      .map((line) => line.split("\t"))
      .some(([kind, module]) => (kind === "dep" || kind === "mod") && module === libraryModule);
  } catch {
    // Unreadable (mode 0111) or not an ELF file: then it is not known to use the library.
    return false;
  }
}

/** The module lines that `go version -m` prints; empty if there are none. */
function readBuildInfo(path: Uint8Array): string {
  const fd = openRegularFile(path);
  try {
    const section = findSection(fd, ".go.buildinfo");
    return section === undefined ? "" : moduleText(section);
  } finally {
    closeDescriptor(fd);
  }
}

/** debug/buildinfo: magic, pointer size, flags; then two strings, each with a varint length. */
function moduleText(section: Uint8Array): string {
  if (latin1Text(section.subarray(0, MAGIC.length)) !== MAGIC) return "";
  if (((section[15] ?? 0) & FLAG_INLINE_STRINGS) === 0) return "";
  const version = varint(section, HEADER_BYTES);
  const module = varint(section, version.end + version.value);
  return new TextDecoder().decode(section.subarray(module.end, module.end + module.value));
}

/** ELF-64, little endian; elf(5). */
function findSection(fd: number, wanted: string): Uint8Array | undefined {
  const header = readExactly(fd, 0, 64);
  const view = new DataView(header.buffer);
  if (view.getUint32(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1) return undefined;
  const size = view.getUint16(58, true);
  const count = view.getUint16(60, true);
  if (size * count > MAX_SECTIONS_BYTES) return undefined;
  const table = readExactly(fd, Number(view.getBigUint64(40, true)), size * count);
  const sections = Array.from({ length: count }, (_, index) => sectionAt(table, index * size));
  const names = sections[view.getUint16(62, true)];
  if (names === undefined || names.length > MAX_SECTIONS_BYTES) return undefined;
  const text = readExactly(fd, names.offset, names.length);
  const found = sections.find(({ name }) => cStringAt(text, name) === wanted);
  if (found === undefined || found.length > MAX_INFO_BYTES) return undefined;
  return readExactly(fd, found.offset, found.length);
}

function sectionAt(table: Uint8Array, start: number) {
  const view = new DataView(table.buffer, table.byteOffset + start, 64);
  return {
    name: view.getUint32(0, true),
    offset: Number(view.getBigUint64(24, true)),
    length: Number(view.getBigUint64(32, true)),
  };
}

function cStringAt(text: Uint8Array, start: number): string {
  return new TextDecoder().decode(text.subarray(start, text.indexOf(0, start)));
}

function readExactly(fd: number, position: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  if (readAt(fd, bytes, position) < length) throw new RangeError("short read");
  return bytes;
}

function varint(
  bytes: Uint8Array,
  start: number,
): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let end = start, shift = 0; shift < 32; shift += 7) {
    const byte = bytes[end++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end };
  }
  throw new RangeError("varint too long");
}
