import { readFileSync } from "node:fs";
import { libc } from "./libc.ts";
import { checked } from "./syscall-error.ts";

const MADV_DONTNEED = 4;
const form = /^([0-9a-f]+)-([0-9a-f]+) r-xp \S+ \S+ [1-9]/;

/**
 * Lets go of the pages of programs and libraries that this process has mapped to run: what runs again comes back from the page
 * cache. After a start most of them are never wanted again, and all count as resident; madvise(2).
 */
export function releaseProgramText(): void {
  for (const line of readFileSync("/proc/self/maps", "latin1").split("\n")) {
    const [, from, to] = form.exec(line) ?? [];
    if (from === undefined || to === undefined) continue;
    // Mapped privately and never written, for it cannot be: nothing is lost. Read-only data would not do: relocations are in it.
    const start = Number.parseInt(from, 16);
    checked("madvise", libc.madvise(start, Number.parseInt(to, 16) - start, MADV_DONTNEED));
  }
}
