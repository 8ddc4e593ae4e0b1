import type { LifeContext, LifeEffect, Running } from "./life.ts";
import { rotationPauseMs } from "./pace.ts";
import { say } from "./steps.ts";

/** The program's secrets have to be replaced. */
export interface Change {
  readonly reason: string;
  /** The first moment at which a secret of the program is worth nothing; Infinity if none is. */
  readonly expiresAtMs: number;
}

/** When the rotation is. */
export interface RotationPlan {
  readonly rotateAtMs: number;
  readonly effects: readonly LifeEffect[];
}

/**
 * Decides when the program is rotated. Tokens and leases are renewed until then. One plan is
 * enough: a rotation fetches the newest values.
 */
export function planRotation(
  stage: Pick<Running, "rotateAtMs" | "rotatedAtMs" | "failedRotations">,
  { reason, expiresAtMs }: Change,
  { settings: { rotation }, nowMs, random }: LifeContext,
): RotationPlan {
  const { rotateAtMs, rotatedAtMs, failedRotations } = stage;
  if (rotateAtMs !== Number.POSITIVE_INFINITY) {
    const soonerMs = nowMs + Math.max(0, expiresAtMs - nowMs) / 2;
    const earliestMs = rotatedAtMs + rotation.minIntervalMs;
    const sooner = Math.min(rotateAtMs, Math.max(earliestMs, soonerMs));
    return { rotateAtMs: sooner, effects: [] };
  }
  const { debounceMs, splayMs, minIntervalMs } = rotation;
  const wanted = rotationPauseMs({
    ...{ debounceMs, splayMs, minIntervalMs, random },
    sinceLastMs: nowMs - rotatedAtMs,
    failures: failedRotations,
    expiresInMs: expiresAtMs - nowMs,
  });
  const pauseMs = Math.max(0, wanted);
  const planned = nowMs + pauseMs;
  const line = say("info", `${reason}: the program gets new values`, {
    rotation: rotation.mode,
    inMs: Math.round(pauseMs),
  });
  if (planned <= expiresAtMs) return { rotateAtMs: planned, effects: [line] };
  const message = "a lease is shorter than SVC_ROTATION_MIN_INTERVAL: its secret expires before";
  const warning = say("warn", message, { expiredForMs: Math.round(planned - expiresAtMs) });
  return { rotateAtMs: planned, effects: [warning, line] };
}
