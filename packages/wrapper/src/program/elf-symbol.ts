import { closeDescriptor, openRegularFile, readAt } from "@svc/kernel";

const HEADER_BYTES = 64;
const SECTION_BYTES = 64;
const SYMBOL_BYTES = 24;
const SHT_SYMTAB = 2;
const SHT_DYNSYM = 11;
const SHN_UNDEF = 0;
const STT_OBJECT = 1;
const ET_EXEC = 2;
// The largest C libraries have a tenth of it; the names of a static program may take more, and its
// reader is the supervisor.
const MAX_TABLE_BYTES = 1 << 20;

/** A variable of a program or library. */
export interface ElfSymbol {
  /** Its address, from the beginning of the loaded file. */
  readonly value: number;
  /** True if the file has its addresses already: it is loaded to nowhere else. */
  readonly absolute: boolean;
}

/**
 * Looks for a variable of one of several names that a file of 64 bits defines; elf(5). Undefined
 * if there is none, the file has been stripped of its names, or is not to be understood.
 */
export function findElfSymbol(
  path: Uint8Array | string,
  names: ReadonlySet<string>,
): ElfSymbol | undefined {
  let fd: number;
  try {
    fd = openRegularFile(path);
  } catch {
    return undefined;
  }
  try {
    return lookIn(fd, names);
  } catch {
    // A table that leads out of itself.
    return undefined;
  } finally {
    closeDescriptor(fd);
  }
}

function lookIn(fd: number, names: ReadonlySet<string>): ElfSymbol | undefined {
  const header = viewAt(fd, 0, HEADER_BYTES);
  if (header.getUint32(0) !== 0x7f454c46 || header.getUint8(4) !== 2) return undefined;
  const absolute = header.getUint16(16, true) === ET_EXEC;
  const sections = readSections(fd, header);
  const ofType = (wanted: number) => sections.find(({ type }) => type === wanted);
  // A dynamically linked file has its shared symbols in the first; debuggers read the second.
  const table = ofType(SHT_DYNSYM) ?? ofType(SHT_SYMTAB);
  const texts = table && sections[table.link];
  const value = texts && lookInTable(fd, { table, texts }, names);
  return value === undefined ? undefined : { value, absolute };
}

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly length: number;
  /** For symbols: the index of the section with their names. */
  readonly link: number;
}

function readSections(fd: number, header: DataView): readonly Section[] {
  const count = header.getUint16(60, true);
  if (header.getUint16(58, true) !== SECTION_BYTES) return [];
  const view = viewAt(fd, Number(header.getBigUint64(40, true)), count * SECTION_BYTES);
  return Array.from({ length: count }, (_, index) => ({
    type: view.getUint32(index * SECTION_BYTES + 4, true),
    offset: Number(view.getBigUint64(index * SECTION_BYTES + 24, true)),
    length: Number(view.getBigUint64(index * SECTION_BYTES + 32, true)),
    link: view.getUint32(index * SECTION_BYTES + 40, true),
  }));
}

function lookInTable(
  fd: number,
  { table, texts }: { readonly table: Section; readonly texts: Section },
  names: ReadonlySet<string>,
): number | undefined {
  const symbols = viewAt(fd, table.offset, table.length);
  const strings = new Uint8Array(viewAt(fd, texts.offset, texts.length).buffer);
  for (let at = 0; at + SYMBOL_BYTES <= table.length; at += SYMBOL_BYTES) {
    const kind = symbols.getUint8(at + 4) & 0xf;
    if (kind !== STT_OBJECT || symbols.getUint16(at + 6, true) === SHN_UNDEF) continue;
    if (names.has(textIn(strings, symbols.getUint32(at, true)))) {
      return Number(symbols.getBigUint64(at + 8, true));
    }
  }
  return undefined;
}

function textIn(strings: Uint8Array, start: number): string {
  return new TextDecoder().decode(strings.subarray(start, strings.indexOf(0, start)));
}

/** @throws RangeError if the file is shorter than it says. */
function viewAt(fd: number, position: number, length: number): DataView {
  if (length > MAX_TABLE_BYTES) throw new RangeError("a table of more than 1 MiB");
  const bytes = new Uint8Array(length);
  if (readAt(fd, bytes, position) < length) throw new RangeError("a table behind the end");
  return new DataView(bytes.buffer);
}
