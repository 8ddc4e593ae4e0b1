import { libc } from "#native";
import { readWholeFile } from "../files/files.ts";
import { checked } from "../libc/syscall-error.ts";

const MADV_DONTNEED = 4;
/** A mapping takes less than 1 KiB of it, and a process has at most 65530; proc_sys_vm(5). */
const MOST_BYTES = 1 << 26;
// The address, no right to write, private, of a file: proc_pid_smaps(5).
const head = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ [1-9]/;

/**
 * Releases the pages of programs and libraries that this process has mapped and cannot write to: a
 * page that is needed again comes
 * back from the page cache. After a start most of them never are, and all count as resident;
 * madvise(2).
 */
export function releaseProgramPages(): void {
  const smaps = new TextDecoder().decode(readWholeFile("/proc/self/smaps", MOST_BYTES));
  for (const mapping of smaps.split(/\n(?=[0-9a-f]+-)/)) {
    const [, from, to] = head.exec(mapping) ?? [];
    if (from === undefined || to === undefined) continue;
    // Relocations were written before the mapping lost the right to be: those pages are in no file.
    if (!/^Anonymous:\s+0 kB$/m.test(mapping)) continue;
    const start = Number.parseInt(from, 16);
    checked("madvise", libc.madvise(start, Number.parseInt(to, 16) - start, MADV_DONTNEED));
  }
}
