import { addressOf, architecture, libc } from "#native";
import { closeDescriptor } from "./descriptors.ts";
import { openForReading } from "./files.ts";
import { checked } from "./syscall-error.ts";

// libc's function of that name is younger (glibc 2.30) than all others that are called.
const SYS_GETDENTS64 = architecture === "arm64" ? 61 : 217;
const CHUNK_BYTES = 8192;
// struct linux_dirent64: d_ino, d_off, d_reclen, d_type, d_name.
const RECORD_LENGTH = 16;
const NAME = 19;

/** The names in a directory, in no order, without `.` and `..`; getdents(2). node:fs does it, and costs 0.3 MiB and 0.9 ms. */
export function directoryNames(path: string): readonly string[] {
  const fd = openForReading(path);
  try {
    const names: string[] = [];
    const buffer = new Uint8Array(CHUNK_BYTES);
    for (;;) {
      const result = libc.syscall(SYS_GETDENTS64, fd, addressOf(buffer), buffer.length, 0, 0, 0);
      const length = checked("getdents64", Number(result));
      if (length === 0) return names.filter((name) => name !== "." && name !== "..");
      names.push(...namesIn(buffer.subarray(0, length)));
    }
  } finally {
    closeDescriptor(fd);
  }
}

function namesIn(records: Uint8Array): readonly string[] {
  const decoder = new TextDecoder();
  const view = new DataView(records.buffer, records.byteOffset, records.length);
  const names: string[] = [];
  for (let at = 0; at < records.length; ) {
    const length = view.getUint16(at + RECORD_LENGTH, true);
    const record = records.subarray(at + NAME, at + length);
    names.push(decoder.decode(record.subarray(0, record.indexOf(0))));
    at += length;
  }
  return names;
}
