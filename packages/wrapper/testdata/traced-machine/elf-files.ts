const HEADER_BYTES = 64;
const SECTION_BYTES = 64;
const SHT_PROGBITS = 1;
const SHT_DYNSYM = 11;
const SHT_STRTAB = 3;
const STT_OBJECT = 1;
const ET_EXEC = 2;
const ET_DYN = 3;
const INLINE_STRINGS = 2;

interface Section {
  readonly name: string;
  readonly type: number;
  readonly bytes: Uint8Array;
  /** The index of the section with its texts. */
  readonly link?: number;
}

/** An executable of Go that depends on a module; debug/buildinfo. */
export function goProgram(module: string): Uint8Array {
  const information = `path\tx\ndep\t${module}\tv1.0.0\n`;
  const text = (value: string) => [value.length, ...new TextEncoder().encode(value)];
  const head = new Uint8Array(32);
  head.set(Uint8Array.from("\xff Go buildinf:", (letter) => letter.charCodeAt(0)));
  head[15] = INLINE_STRINGS;
  const bytes = Uint8Array.from([...head, ...text("go1.26"), ...text(information)]);
  return elfFile(ET_EXEC, [{ name: ".go.buildinfo", type: SHT_PROGBITS, bytes }]);
}

/** A file that defines the variable `environ`. */
export function definesEnviron(value: number, isAbsolute: boolean): Uint8Array {
  const symbol = new Uint8Array(24);
  const view = new DataView(symbol.buffer);
  view.setUint32(0, 1, true);
  view.setUint8(4, STT_OBJECT);
  view.setUint16(6, 1, true);
  view.setBigUint64(8, BigInt(value), true);
  return elfFile(isAbsolute ? ET_EXEC : ET_DYN, [
    { name: ".dynsym", type: SHT_DYNSYM, bytes: symbol, link: 1 },
    { name: ".dynstr", type: SHT_STRTAB, bytes: new TextEncoder().encode("\0environ\0") },
  ]);
}

/** A file of 64 bits with sections, little endian; elf(5). */
function elfFile(type: number, sections: readonly Section[]): Uint8Array {
  const names = new TextEncoder().encode(`${sections.map(({ name }) => name).join("\0")}\0.n\0`);
  const all = [...sections, { name: ".n", type: SHT_STRTAB, bytes: names }];
  const length = all.reduce((sum, { bytes }) => sum + bytes.length, HEADER_BYTES);
  const file = new Uint8Array(length + all.length * SECTION_BYTES);
  const view = new DataView(file.buffer);
  view.setUint32(0, 0x7f454c46);
  file.set([2, 1, 1], 4);
  view.setUint16(16, type, true);
  view.setBigUint64(40, BigInt(length), true);
  view.setUint16(58, SECTION_BYTES, true);
  view.setUint16(60, all.length, true);
  view.setUint16(62, all.length - 1, true);
  let at = HEADER_BYTES;
  let name = 0;
  all.forEach((section, index) => {
    const header = length + index * SECTION_BYTES;
    file.set(section.bytes, at);
    view.setUint32(header, name, true);
    view.setUint32(header + 4, section.type, true);
    view.setBigUint64(header + 24, BigInt(at), true);
    view.setBigUint64(header + 32, BigInt(section.bytes.length), true);
    view.setUint32(header + 40, section.link ?? 0, true);
    at += section.bytes.length;
    name += section.name.length + 1;
  });
  return file;
}
