import { directoryNames, readWholeFile } from "@svc/kernel";
import type { CpuFinding } from "./protection-facts.ts";

const folder = "/sys/devices/system/cpu/vulnerabilities";
const MAX_BYTES = 4096;

/** The kernel's statements about attacks on this processor, by their names. */
export type Vulnerabilities = readonly (readonly [name: string, state: string])[];

/** Reads it; Documentation/ABI/testing/sysfs-devices-system-cpu of Linux. */
export function measureCpu(): CpuFinding {
  const decoder = new TextDecoder();
  try {
    const read = (name: string) => decoder.decode(readWholeFile(`${folder}/${name}`, MAX_BYTES));
    return judgeCpu(directoryNames(folder).map((name) => [name, read(name)] as const));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it failed";
    return { kind: "unmeasured", reason: `read ${folder}: ${reason}` };
  }
}

/**
 * Pure: `Vulnerable` may stand behind a mitigation of another part; an unknown state counts as
 * open.
 */
export function judgeCpu(vulnerabilities: Vulnerabilities): CpuFinding {
  if (vulnerabilities.length === 0) {
    return { kind: "unmeasured", reason: "the kernel names no attack" };
  }
  const open = vulnerabilities.filter(([, state]) =>
    /\bVulnerable\b|^Processor vulnerable|^Unknown/.test(state),
  );
  if (open.length === 0) return { kind: "mitigated" };
  return { kind: "vulnerable", names: open.map(([name]) => name).sort() };
}
