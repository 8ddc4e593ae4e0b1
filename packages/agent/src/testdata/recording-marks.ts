import { readFileSync } from "node:fs";
import type { Marks } from "../registration/marks.ts";

/** Marks in memory, by the pid that the kernel says a pidfd is of. */
export interface RecordingMarks extends Marks {
  readonly protections: ReadonlyMap<number, bigint>;
  /** Processes whose environment holds no value. */
  readonly bare: ReadonlySet<number>;
  readonly owners: ReadonlyMap<number, bigint>;
  readonly helpers: ReadonlyMap<number, bigint>;
}

export function recordingMarks(): RecordingMarks {
  const protections = new Map<number, bigint>();
  const bare = new Set<number>();
  const owners = new Map<number, bigint>();
  const helpers = new Map<number, bigint>();
  const wrappers = new Map<number, bigint>();
  return {
    protections,
    bare,
    owners,
    helpers,
    protect: (pidfd, registration, environment) => {
      const pid = pidOf(pidfd);
      protections.set(pid, registration);
      if (environment === "bare") bare.add(pid);
      else bare.delete(pid);
    },
    own: (pidfd, registration) => {
      wrappers.set(pidOf(pidfd), registration);
      owners.set(pidOf(pidfd), registration);
    },
    markHelper: (pidfd, registration) => void helpers.set(pidOf(pidfd), registration),
    ownedBy: (pidfd) => owners.get(pidOf(pidfd)),
    keepRegions: () => undefined,
    protectedBy: (pidfd) => wrappers.get(pidOf(pidfd)) ?? protections.get(pidOf(pidfd)),
  };
}

function pidOf(pidfd: number): number {
  return Number(/^Pid:\s*(-?\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${pidfd}`, "utf8"))?.[1]);
}
