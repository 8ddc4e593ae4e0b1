import type { SecretMemoryKind } from "@svc/kernel";

/** The kernel's facts about the region in a process. */
export interface RegionMapping {
  readonly memory: SecretMemoryKind;
  readonly locked: boolean;
  readonly dumped: boolean;
}

/**
 * Finds the mapped regions in the lines of /proc/PID/smaps; proc_pid_smaps(5). If there are
 * several, as good as the worst.
 */
export function findRegion(lines: Iterable<string>): RegionMapping | undefined {
  let worst: RegionMapping | undefined;
  let memory: SecretMemoryKind | undefined;
  for (const line of lines) {
    memory = memoryNamedBy(line) ?? memory;
    if (memory === undefined || !line.startsWith("VmFlags:")) continue;
    worst = worseOf(mappingOf(memory, line), worst);
    memory = undefined;
  }
  return worst;
}

/** Only the first line of a mapping ends with the name of a file. */
function memoryNamedBy(line: string): SecretMemoryKind | undefined {
  if (line.endsWith("/secretmem (deleted)")) return "memfd_secret";
  return line.endsWith("/memfd:svc-secrets (deleted)") ? "memfd" : undefined;
}

function mappingOf(memory: SecretMemoryKind, flags: string): RegionMapping {
  const words = new Set(flags.split(" "));
  // memfd_secret is always locked, although not every kernel says so; memfd_secret(2).
  const locked = memory === "memfd_secret" || words.has("lo");
  return { memory, locked, dumped: !words.has("dd") };
}

function worseOf(one: RegionMapping, other: RegionMapping = one): RegionMapping {
  return {
    memory: one.memory === "memfd" ? "memfd" : other.memory,
    locked: one.locked && other.locked,
    dumped: one.dumped || other.dumped,
  };
}
