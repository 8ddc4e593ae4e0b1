import type { PodFacts } from "../pod-facts.ts";

/** The present moment of the tests, in milliseconds since the epoch. */
export const NOW_MS = 1_800_000_000_000;

/** A pod that has been ready for an hour, with changes. */
export function podOf(name: string, change: Partial<PodFacts> = {}): PodFacts {
  return {
    ...{ name, uid: `uid-of-${name}`, labels: { app: "web" }, owner: undefined },
    ...{ isReady: true, readySinceMs: NOW_MS - 3_600_000, startedMs: NOW_MS - 3_700_000 },
    ...{ isOver: false, trouble: undefined, probeMs: 32_000, maxUnavailable: undefined },
    ...change,
  };
}
