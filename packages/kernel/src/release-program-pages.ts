import { readFileSync } from "node:fs";
import { libc } from "#native";
import { checked } from "./syscall-error.ts";

const MADV_DONTNEED = 4;
// The address, no right to write, private, of a file: proc_pid_smaps(5).
const head = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ [1-9]/;

/**
 * Lets go of the pages of programs and libraries that this process has mapped and cannot write to: what is wanted again comes
 * back from the page cache. After a start most of them never are, and all count as resident; madvise(2).
 */
export function releaseProgramPages(): void {
  for (const mapping of readFileSync("/proc/self/smaps", "latin1").split(/\n(?=[0-9a-f]+-)/)) {
    const [, from, to] = head.exec(mapping) ?? [];
    if (from === undefined || to === undefined) continue;
    // Relocations were written before the mapping lost the right to be: those pages are in no file.
    if (!/^Anonymous:\s+0 kB$/m.test(mapping)) continue;
    const start = Number.parseInt(from, 16);
    checked("madvise", libc.madvise(start, Number.parseInt(to, 16) - start, MADV_DONTNEED));
  }
}
