import { sleep } from "@svc/vault";
import { runtime } from "../engine/runtime.ts";
import { whyNotReady } from "../health/ask-program.ts";
import type { Observation } from "../life/life.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import type { WrapperSettings } from "../settings.ts";

interface ReadinessPorts {
  readonly settings: Pick<WrapperSettings, "readinessProbe" | "rotation">;
  readonly observe: (observation: Observation) => void;
}

/** Each pause is a fifth of the time since the start, so the measure is a fifth too long at most. */
const [SHARE, LEAST_PAUSE_MS, LONGEST_PAUSE_MS] = [5, 100, 30_000];
/** A program that takes longer is not measured. */
const LONGEST_START_MS = 3_600_000;

/**
 * Asks a new program until it is ready, and tells how long that took: the splay of rotations grows
 * with it. It asks nothing without SVC_READINESS_PROBE, and if rotations end no program.
 *
 * @param startedAtMs the program's start, by performance.now
 * @param signal ends it; the program has ended
 */
export async function awaitReadiness(
  { settings, observe }: ReadinessPorts,
  startedAtMs: number,
  signal: AbortSignal,
): Promise<void> {
  const program = settings.readinessProbe;
  if (program === undefined || !rotationOf(settings).restarts) return;
  while (!signal.aborted) {
    const reason = await whyNotReady(runtime.ask, program);
    const startTookMs = performance.now() - startedAtMs;
    if (signal.aborted || startTookMs > LONGEST_START_MS) return;
    if (reason === undefined) return observe({ kind: "program ready", startTookMs });
    const pauseMs = Math.max(LEAST_PAUSE_MS, startTookMs / SHARE);
    await sleep(Math.min(LONGEST_PAUSE_MS, pauseMs), signal);
  }
}
