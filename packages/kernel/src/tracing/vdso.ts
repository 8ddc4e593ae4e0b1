import { bytesAt, libc } from "#native";

const AT_SYSINFO_EHDR = 33;
const AT_PAGESZ = 6;
// Elf64_Ehdr of elf(5).
const HEADER_BYTES = 64;
const E_SHOFF = 40;
const E_SHENTSIZE = 58;
const E_SHNUM = 60;

/**
 * The code that the kernel maps into every program, as this process has it, to the end of its last
 * page; vdso(7), getauxval(3). Its section headers are its end. Undefined if the kernel maps none.
 */
export function readVdso(): Uint8Array | undefined {
  const address = Number(libc.getauxval(AT_SYSINFO_EHDR));
  if (address === 0) return undefined;
  const end = sectionHeadersEnd(bytesAt(address, HEADER_BYTES).slice());
  const page = Number(libc.getauxval(AT_PAGESZ));
  return bytesAt(address, Math.ceil(end / page) * page).slice();
}

/** The end of the section headers of an ELF file of 64 bits, by its header of 64 bytes; elf(5). */
export function sectionHeadersEnd(header: Uint8Array): number {
  const view = new DataView(header.buffer, header.byteOffset, HEADER_BYTES);
  const headersBytes = view.getUint16(E_SHENTSIZE, true) * view.getUint16(E_SHNUM, true);
  return Number(view.getBigUint64(E_SHOFF, true)) + headersBytes;
}
