import { architecture, libc } from "#native";
import { closeDescriptor, readDescriptor, writeDescriptor } from "../descriptors/descriptors.ts";
import { cString } from "../libc/c-strings.ts";
import { checked } from "../libc/syscall-error.ts";
import { openForReading } from "./files.ts";

const O_WRONLY = 1;
const O_CREAT = 0o100;
const O_TRUNC = 0o1000;
const O_CLOEXEC = 0o2000000;
// asm-generic/fcntl.h, and arm64's own.
const O_NOFOLLOW = architecture === "arm64" ? 0o100000 : 0o400000;
const RW_FOR_THE_OWNER = 0o600;
/** A kernel copies less than 2 GiB at once. */
const MOST_AT_ONCE = 1 << 30;
const CHUNK_BYTES = 1 << 17;

/**
 * Copies the content of a file; copy_file_range(2), or read(2) and write(2) if the file systems
 * cannot do that. A file that is there is emptied first, a new one is its owner's alone.
 *
 * @throws SyscallError; `ELOOP` if `to` is a link, which is not followed.
 */
export function copyFile(from: string, to: string): void {
  const source = openForReading(from);
  try {
    const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    const target = checked("open", libc.open(cString(to), flags, RW_FOR_THE_OWNER));
    try {
      copyInKernel(source, target);
      copyByHand(source, target);
    } finally {
      closeDescriptor(target);
    }
  } finally {
    closeDescriptor(source);
  }
}

/** As far as the kernel does it: why it stops is of no interest, for the rest is tried by hand. */
function copyInKernel(source: number, target: number): void {
  while (libc.copy_file_range(source, null, target, null, MOST_AT_ONCE, 0) > 0);
}

function copyByHand(source: number, target: number): void {
  for (;;) {
    const read = readDescriptor(source, CHUNK_BYTES);
    if (read.kind !== "bytes") return;
    writeDescriptor(target, read.bytes);
  }
}
