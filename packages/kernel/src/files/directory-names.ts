import { addressOf, architecture, libc } from "#native";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { checked } from "../libc/syscall-error.ts";
import { openForReading } from "./files.ts";

// libc's function of that name is younger (glibc 2.30) than all others that are called.
const SYS_GETDENTS64 = architecture === "arm64" ? 61 : 217;
const CHUNK_BYTES = 8192;
// struct linux_dirent64: d_ino, d_off, d_reclen, d_type, d_name.
const RECORD_LENGTH = 16;
const NAME = 19;
const DOT = 0x2e;

/** The names in a directory, in no order, without `.` and `..`; getdents(2). */
export function directoryNames(path: string): readonly string[] {
  const fd = openForReading(path);
  try {
    const decoder = new TextDecoder();
    return namesInFolder(fd).map((name) => decoder.decode(name));
  } finally {
    closeDescriptor(fd);
  }
}

/**
 * The same to the byte, of an open directory; to be called once for a descriptor.
 *
 * @param most it stops soon once it has more names than this.
 */
export function namesInFolder(
  fd: number,
  most: number = Number.POSITIVE_INFINITY,
): readonly Uint8Array[] {
  const names: Uint8Array[] = [];
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    const result = libc.syscall(SYS_GETDENTS64, fd, addressOf(buffer), buffer.length, 0, 0, 0);
    const length = checked("getdents64", Number(result));
    if (length === 0 || names.length > most) return names.filter((name) => !isDots(name));
    names.push(...namesIn(buffer.slice(0, length)));
  }
}

function namesIn(records: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(records.buffer);
  const names: Uint8Array[] = [];
  for (let at = 0; at < records.length; ) {
    const length = view.getUint16(at + RECORD_LENGTH, true);
    const record = records.subarray(at + NAME, at + length);
    names.push(record.subarray(0, record.indexOf(0)));
    at += length;
  }
  return names;
}

function isDots(name: Uint8Array): boolean {
  return name.length <= 2 && name.every((byte) => byte === DOT);
}
