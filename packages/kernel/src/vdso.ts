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
 * page; vdso(7), getauxval(3). Its section headers are its end. Undefined where the kernel maps none.
 */
export function readVdso(): Uint8Array | undefined {
  const address = Number(libc.getauxval(AT_SYSINFO_EHDR));
  if (address === 0) return undefined;
  const header = bytesAt(address, HEADER_BYTES).slice();
  const view = new DataView(header.buffer);
  const headersBytes = view.getUint16(E_SHENTSIZE, true) * view.getUint16(E_SHNUM, true);
  const end = Number(view.getBigUint64(E_SHOFF, true)) + headersBytes;
  const page = Number(libc.getauxval(AT_PAGESZ));
  return bytesAt(address, Math.ceil(end / page) * page).slice();
}
