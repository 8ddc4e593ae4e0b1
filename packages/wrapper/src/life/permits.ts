import { rotationOf } from "../settings/rotation-traits.ts";
import { firstExpiryMs } from "./knowledge.ts";
import type { LifeContext, LifeEffect, PermitOutcome, Step } from "./life.ts";
import { grownSplayMs } from "./pace.ts";
import { rotate } from "./rotating.ts";
import { doing, goOn, type RunningLife, waitUntil, withStage } from "./running-life.ts";
import { andThen, enterPhase, say, sayFailures, step } from "./steps.ts";

/**
 * With so little time left, a secret that expires does not wait for a permit: without it the
 * program would be as good as away.
 */
const LEAST_LEFT_MS = 30_000;
/** For so long the operator may be away before the wrapper rotates without it. */
export const PATIENCE_MS = 600_000;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [5000, 60_000];

/**
 * The moment of a planned rotation has come: asks for a permit first, if there is to be one.
 *
 * @param checkAtMs when the next check is due
 */
export function beginRotation(life: RunningLife, checkAtMs: number, context: LifeContext): Step {
  const { settings, nowMs } = context;
  const isAsked = settings.rotation.permits !== undefined && rotationOf(settings).restarts;
  const { permit } = life.stage;
  if (!isAsked || permit.kind === "held" || permit.kind === "waived") return drain(life, context);
  const leftMs = firstExpiryMs(life.knowledge) - nowMs;
  if (leftMs < LEAST_LEFT_MS) {
    const line = say("warn", "a secret is about to expire: the rotation waits for no permit");
    return andThen(step(life, line), () => drain(life, context));
  }
  const asking = doing(withStage(life, { rotateAtMs: Number.POSITIVE_INFINITY }), {
    ...{ kind: "asking", checkAtMs },
  });
  const expires = Number.isFinite(leftMs) ? { expiresInMs: leftMs } : {};
  return step(asking, { kind: "ask permit", ...expires });
}

/** The operator has answered, or has not. */
export function onPermitAnswer(
  life: RunningLife,
  outcome: PermitOutcome,
  { checkAtMs }: Asking,
  context: LifeContext,
): Step {
  if (outcome.kind === "unanswered") return onUnanswered(life, outcome, checkAtMs, context);
  const { answer } = outcome;
  if (answer.decision === "go") {
    return drain(withStage(life, { permit: { kind: "held" } }), context);
  }
  const { permit } = life.stage;
  const { reason, retryAfterMs } = answer;
  const isNew = permit.kind !== "waiting" || permit.reason !== reason;
  const line = say(isNew ? "info" : "debug", `the rotation waits for a permit: ${reason}`);
  const waiting = withStage(life, { permit: { kind: "waiting", reason } });
  const pauseMs = spread(retryAfterMs, context);
  return later(waiting, { pauseMs, checkAtMs, lines: [line] }, context);
}

/** Has clients leave the program before it is ended, if there is to be time for that. */
function drain(life: RunningLife, context: LifeContext): Step {
  const { settings, nowMs } = context;
  const leftMs = Math.max(0, firstExpiryMs(life.knowledge) - nowMs);
  const pauseMs = rotationOf(settings).restarts
    ? Math.min(settings.rotation.drainMs, leftMs / 2)
    : 0;
  if (pauseMs === 0) return rotate(life, context);
  const reason = "the program is about to be replaced";
  const draining = doing(withStage(life, { rotateAtMs: Number.POSITIVE_INFINITY }), {
    kind: "draining",
  });
  return andThen(enterPhase(draining, { kind: "draining", reason }), (entered) =>
    step(entered, say("info", "clients leave the program"), { kind: "wait", ms: pauseMs }),
  );
}

function onUnanswered(
  life: RunningLife,
  { failures }: Extract<PermitOutcome, { kind: "unanswered" }>,
  checkAtMs: number,
  context: LifeContext,
): Step {
  const { nowMs, random } = context;
  const { permit } = life.stage;
  const sinceMs = permit.kind === "unanswered" ? permit.sinceMs : nowMs;
  const silentMs = nowMs - sinceMs;
  if (silentMs >= PATIENCE_MS) {
    // A fleet that lost the operator at one moment spreads over the time that it has waited.
    const pauseMs = grownSplayMs(PATIENCE_MS, life.startTookMs) * random;
    const message = "nothing gives permits: the rotation comes without one";
    const line = say("warn", message, { inMs: Math.round(pauseMs) });
    const waived = withStage(life, { permit: { kind: "waived" } });
    return later(waived, { pauseMs, checkAtMs, lines: [line] }, context);
  }
  const level = permit.kind === "unanswered" ? "debug" : "warn";
  const unanswered = withStage(life, { permit: { kind: "unanswered", sinceMs } });
  const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, silentMs / 2));
  const lines = sayFailures(level, failures, "the rotation waits: ");
  return later(unanswered, { pauseMs: spread(pauseMs, context), checkAtMs, lines }, context);
}

/** Half of it is jitter. */
function spread(pauseMs: number, { random }: LifeContext): number {
  return pauseMs * (0.75 + random / 2);
}

type Asking = Extract<RunningLife["stage"]["activity"], { readonly kind: "asking" }>;

interface Pause {
  readonly pauseMs: number;
  readonly checkAtMs: number;
  readonly lines: readonly LifeEffect[];
}

/** An operator that lets the wrapper wait does not put its checks off: they stay when they are. */
function later(
  life: RunningLife,
  { pauseMs, checkAtMs, lines }: Pause,
  context: LifeContext,
): Step {
  const planned = withStage(life, { rotateAtMs: context.nowMs + pauseMs });
  return andThen(step(planned, ...lines), () =>
    planned.stage.checks.hurry ? goOn(planned, context) : waitUntil(planned, checkAtMs, context),
  );
}
