import { libc } from "#native";
import { readWholeFile } from "./files.ts";
import { checked } from "./syscall-error.ts";

const MLOCK_ONFAULT = 1;
const PAGE_BYTES = 4096;
/** Pages that one call of mincore(2) looks at: 4 GiB. */
const PAGES_A_LOOK = 1 << 20;
const MAX_MAPS_BYTES = 16 << 20;

/** Part of the address space, in bytes. */
interface AddressRange {
  readonly start: number;
  readonly end: number;
}

/** A private writable mapping. */
export interface WritableMapping extends AddressRange {
  /** False for the initialised variables of the program and its libraries. */
  readonly isAnonymous: boolean;
}

/**
 * Keeps memory in which this process may hold values out of swap: every private writable mapping, so the
 * heaps and the stacks. Pages that are not there yet are locked when they come (MLOCK_ONFAULT), and
 * cost nothing. Not inherited by execve. mlock2(2), proc_pid_maps(5).
 *
 * @returns false where RLIMIT_MEMLOCK does not allow that; nothing is locked then.
 */
export function lockWritableMemory(): boolean {
  const bySize = writableMappings().toSorted((a, b) => b.end - b.start - (a.end - a.start));
  if (bySize.every(({ start, end }) => libc.mlock2(start, end - start, MLOCK_ONFAULT) === 0)) {
    return true;
  }
  libc.munlockall();
  return false;
}

/**
 * The same within a small RLIMIT_MEMLOCK, although a runtime reserves gigabytes: locks the anonymous
 * pages that are there. To be called again once values have arrived. mincore(2), mlock(2).
 *
 * @throws SyscallError `ENOMEM` or `EPERM` where not even those may be locked; nothing is locked then.
 */
export function lockPresentPages(): void {
  const anonymous = writableMappings().filter(({ isAnonymous }) => isAnonymous);
  try {
    for (const { start, end } of anonymous.flatMap(presentPages)) {
      checked("mlock", libc.mlock(start, end - start));
    }
  } catch (error) {
    libc.munlockall();
    throw error;
  }
}

function writableMappings(): readonly WritableMapping[] {
  const maps = readWholeFile("/proc/self/maps", MAX_MAPS_BYTES);
  return privateWritableMappings(new TextDecoder().decode(maps));
}

/** The private writable mappings in the text of /proc/PID/maps. Pure. */
export function privateWritableMappings(maps: string): readonly WritableMapping[] {
  const lines = maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) .w.p [0-9a-f]+ \S+ (\d+)/gm);
  return [...lines].map(([, start, end, inode]) => ({
    start: Number.parseInt(start ?? "", 16),
    end: Number.parseInt(end ?? "", 16),
    isAnonymous: inode === "0",
  }));
}

function presentPages({ start, end }: AddressRange): readonly AddressRange[] {
  const found: AddressRange[] = [];
  for (let at = start; at < end; at += PAGES_A_LOOK * PAGE_BYTES) {
    const length = Math.min(end - at, PAGES_A_LOOK * PAGE_BYTES);
    const pages = new Uint8Array(length / PAGE_BYTES);
    checked("mincore", libc.mincore(at, length, pages));
    for (const { first, after } of runsOfPages(pages)) {
      found.push({ start: at + first * PAGE_BYTES, end: at + after * PAGE_BYTES });
    }
  }
  return found;
}

/** The runs of bytes that are not 0, as mincore(2) marks the pages that are there. Pure. */
export function* runsOfPages(
  pages: Uint8Array,
): Generator<{ readonly first: number; readonly after: number }> {
  for (let first = pages.indexOf(1); first >= 0; ) {
    const gap = pages.indexOf(0, first);
    const after = gap < 0 ? pages.length : gap;
    yield { first, after };
    first = pages.indexOf(1, after);
  }
}
