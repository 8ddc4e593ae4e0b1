import { rotationOf } from "../settings/rotation-traits.ts";
import type { Life, LifeContext, LifeEffect, Running } from "./life.ts";
import { grownSplayMs, rotationPauseMs } from "./pace.ts";
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

/** The parts of a life that a plan depends on. */
type Planning = Pick<Life, "startTookMs"> & {
  readonly stage: Pick<Running, "rotateAtMs" | "rotatedAtMs" | "failedRotations">;
};

/**
 * Decides when the program is rotated. Tokens and leases are renewed until then. One plan is
 * enough: a rotation fetches the newest values.
 */
export function planRotation(
  { stage, startTookMs }: Planning,
  { reason, expiresAtMs }: Change,
  { settings, nowMs, random }: LifeContext,
): RotationPlan {
  const { rotation } = settings;
  const { rotateAtMs, rotatedAtMs, failedRotations } = stage;
  if (rotateAtMs !== Number.POSITIVE_INFINITY) {
    const soonerMs = nowMs + Math.max(0, expiresAtMs - nowMs) / 2;
    const earliestMs = rotatedAtMs + rotation.minIntervalMs;
    const sooner = Math.min(rotateAtMs, Math.max(earliestMs, soonerMs));
    return { rotateAtMs: sooner, effects: [] };
  }
  const { debounceMs, minIntervalMs } = rotation;
  // With permits the operator lets one pod go after the other, and others are never away.
  const grows = rotation.permits === undefined && rotationOf(settings).restarts;
  const splayMs = grows ? grownSplayMs(rotation.splayMs, startTookMs) : rotation.splayMs;
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
