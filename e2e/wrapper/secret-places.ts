import { readFileSync } from "node:fs";
import { memoryOf, type Range } from "../harness/processes/leak-search.ts";

/** A secret in the memory of a process. */
export interface SecretPlace {
  /** The secret that was found. */
  readonly secret: string;
  /** The file of the mapping, or a name like `[heap]`; empty for anonymous memory. */
  readonly mapping: string;
  /** The kernel never writes the page to swap: `lo` of VmFlags; proc_pid_smaps(5). */
  readonly locked: boolean;
  /** No core dump has the page: `dd` of VmFlags. */
  readonly undumped: boolean;
}

/** Every place in which a process has one of the secrets, as root reads its memory. */
export function secretPlaces(
  pid: number,
  secrets: Readonly<Record<string, Buffer>>,
): readonly SecretPlace[] {
  return mappingsOf(pid).flatMap(({ range, mapping, flags }) =>
    [...memoryOf(pid, [range])].flatMap((bytes) =>
      Object.entries(secrets).flatMap(([secret, wanted]) =>
        Array.from({ length: countIn(bytes, wanted) }, () => ({
          secret,
          mapping,
          locked: flags.includes("lo"),
          undumped: flags.includes("dd"),
        })),
      ),
    ),
  );
}

interface Mapping {
  readonly range: Range;
  readonly mapping: string;
  readonly flags: readonly string[];
}

function mappingsOf(pid: number): readonly Mapping[] {
  const parts = readFileSync(`/proc/${pid}/smaps`, "utf8").split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  return parts.flatMap((part) => {
    const match = /^([0-9a-f]+)-([0-9a-f]+) r\S+ \S+ \S+ \S+ *(.*)$/m.exec(part);
    if (match === null) return [];
    const [, start = "", end = "", mapping = ""] = match;
    const range = { start: Number.parseInt(start, 16), end: Number.parseInt(end, 16) };
    // The vsyscall page lies beyond the range of a number, and holds no data.
    if (!Number.isSafeInteger(range.end)) return [];
    return [{ range, mapping, flags: /^VmFlags: (.*)$/m.exec(part)?.[1]?.split(" ") ?? [] }];
  });
}

function countIn(bytes: Buffer, wanted: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) count += 1;
  return count;
}
