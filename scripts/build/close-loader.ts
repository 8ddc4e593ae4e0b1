import { ElfFile } from "./elf.ts";
import { entryCodes } from "./entry-code.ts";

/** Debian's name of each machine in the paths of its libraries. */
const triplets: Readonly<Record<number, string>> = {
  62: "x86_64-linux-gnu",
  183: "aarch64-linux-gnu",
};

/** Files of the image that would tell the loader what to load; ld.so(8). */
const steeringFiles = ["/etc/ld.so.preload", "/etc/ld.so.cache"] as const;

/**
 * Closes a copy of glibc's loader to the image that it runs in, in place. It finds no environment, so
 * that LD_*, GLIBC_TUNABLES, MALLOC_*, LOCPATH and whatever a next version adds steer neither it nor
 * libc; it reads no file that names libraries; and it looks for libraries in one folder only.
 *
 * @throws TypeError, RangeError where the loader is not as expected.
 */
export function closeLoader(bytes: Uint8Array, libraryFolder: string): void {
  const elf = new ElfFile(bytes);
  hideEnvironment(elf);
  // An empty path is no file.
  for (const path of steeringFiles) replaceAll(bytes, `${path}\0`, "");
  searchOnly(elf, libraryFolder);
}

function hideEnvironment(elf: ElfFile): void {
  const code = entryCodes[elf.machine];
  if (code === undefined) throw new TypeError(`close loader: unknown machine ${elf.machine}`);
  const copies = Buffer.from(code.instructions.map(([bytes]) => bytes).join(""), "hex");
  const { position, address } = elf.addCode(copies.length + code.jump(0).length);
  const distance = Number(elf.entry - address) - copies.length;
  elf.bytes.set(copies, position);
  elf.bytes.set(code.jump(distance), position + copies.length);
  elf.entry = address;
}

/**
 * The loader knows its default folders as texts of known lengths that begin with a slash. The first
 * becomes ours, filled up with slashes. Each of the others becomes a slash and NUL bytes: whatever
 * is looked for there is the path "/", which is no library in any image.
 */
function searchOnly(elf: ElfFile, folder: string): void {
  const triplet = triplets[elf.machine];
  const [first, ...others] = [`/lib/${triplet}/`, `/usr/lib/${triplet}/`, "/lib/", "/usr/lib/"];
  if (folder.length > first.length) throw new RangeError(`no room for the folder "${folder}"`);
  const ours = [folder.padEnd(first.length, "/"), ...others.map(({ length }) => slash(length))];
  replaceAll(elf.bytes, `${[first, ...others].join("\0")}\0`, `${ours.join("\0")}\0`);
}

function slash(length: number): string {
  return "/".padEnd(length, "\0");
}

/** Writes `text`, and NUL bytes up to its length, wherever `wanted` stands. */
function replaceAll(bytes: Uint8Array, wanted: string, text: string): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = positionsOf(file, wanted);
  if (found.length === 0) throw new TypeError(`close loader: it does not hold "${wanted}"`);
  for (const position of found) file.write(text.padEnd(wanted.length, "\0"), position, "latin1");
}

function positionsOf(file: Buffer, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let at = file.indexOf(wanted); at >= 0; at = file.indexOf(wanted, at + 1)) found.push(at);
  return found;
}
