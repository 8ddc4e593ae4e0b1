import type { KernelUnderTest, Outcome, Scripts } from "../calls/kernel-under-test.ts";
import {
  bytesOf,
  cText,
  flags,
  numberOf,
  open,
  polled,
  readText,
  writeText,
} from "../calls/words.ts";

const EMPTY_PATH = 0x1000;
const ALL_FIELDS = 0x7ff;
const KIND = 0o170000;

/** open(2), read(2), statx(2) and others. */
export const files: Scripts = {
  "paths that lead nowhere": (kernel) => [
    open(kernel, `${kernel.folder}/missing`, 0),
    open(kernel, `${kernel.folder}/missing/file`, flags.create | flags.writeOnly),
    open(kernel, "", 0),
    status(kernel, -100, `${kernel.folder}/missing`),
    kernel.call("access", cText(`${kernel.folder}/missing`), 0),
    kernel.call("readlink", cText(`${kernel.folder}/missing`), new Uint8Array(9), 9),
  ],
  "a directory": (kernel) => {
    const fd = numberOf(open(kernel, kernel.folder, 0));
    return [
      readText(kernel, fd, 1),
      writeText(kernel, fd, "a"),
      kernel.call("pread", fd, new Uint8Array(1), 1, 0),
      open(kernel, kernel.folder, flags.writeOnly),
      status(kernel, fd, ""),
    ].map((outcome) => String(outcome).replace(/ \d+$/, ""));
  },
  "a file is made, cut and found": (kernel) => {
    const path = `${kernel.folder}/file`;
    const made = numberOf(open(kernel, path, flags.create | flags.writeOnly));
    const outcomes: Outcome[] = [writeText(kernel, made, "hello"), readText(kernel, made, 1)];
    outcomes.push(open(kernel, path, flags.create | flags.exclusive | flags.writeOnly));
    outcomes.push(status(kernel, -100, path));
    const reads = numberOf(open(kernel, path, 0));
    outcomes.push(readText(kernel, reads, 9), readText(kernel, reads, 9));
    outcomes.push(writeText(kernel, reads, "a"), kernel.call("ftruncate", reads, 0));
    outcomes.push(polled(kernel, reads, 5));
    open(kernel, path, flags.truncate | flags.writeOnly);
    return [...outcomes, status(kernel, reads, ""), kernel.call("lseek", reads, 0, 1)];
  },
  "positions of a file": (kernel) => {
    const how = flags.create | flags.readWrite;
    const file = numberOf(open(kernel, `${kernel.folder}/file`, how));
    const room = new Uint8Array(8);
    return [
      writeText(kernel, file, "hello"),
      kernel.call("pread", file, room, 8, 3),
      kernel.call("pread", file, room, 8, 5),
      kernel.call("pread", file, room, 8, 99),
      kernel.call("lseek", file, -2, 2),
      readText(kernel, file, 9),
      kernel.call("lseek", file, -9, 0),
      kernel.call("lseek", file, 9, 0),
      readText(kernel, file, 9),
      kernel.call("pwrite", file, bytesOf("x"), 1, 7),
      kernel.call("ftruncate", file, 9),
      kernel.call("ftruncate", file, -1),
      kernel.call("lseek", file, 0, 0),
      readText(kernel, file, 99),
    ];
  },
  "links of /proc": (kernel) => {
    const room = new Uint8Array(64);
    const length = numberOf(kernel.call("readlink", cText("/proc/self"), room, 64));
    const target = new TextDecoder().decode(room.subarray(0, length));
    return [
      target === String(kernel.pid) ? "own pid" : target,
      kernel.call("readlink", cText("/proc/self/stat"), room, 64),
      kernel.call("readlink", cText("/proc"), room, 64),
      kernel.call("readlink", cText("/proc/self"), room, 1),
      open(kernel, "/proc/4194304/stat", 0),
      open(kernel, "/proc/self/nothing", 0),
    ];
  },
  "the null device": (kernel) => {
    const fd = numberOf(open(kernel, "/dev/null", flags.readWrite));
    return [readText(kernel, fd, 1), writeText(kernel, fd, "a"), polled(kernel, fd, 5)];
  },
};

/** The kind, and the size of a file. */
export function status(kernel: KernelUnderTest, folder: number, path: string): string {
  const found = new Uint8Array(256);
  const how = path === "" ? EMPTY_PATH : 0;
  const outcome = kernel.call("statx", folder, cText(path), how, ALL_FIELDS, found);
  if (outcome !== 0) return String(outcome);
  const view = new DataView(found.buffer);
  return `${(view.getUint16(28, true) & KIND).toString(8)} ${view.getBigUint64(40, true)}`;
}
