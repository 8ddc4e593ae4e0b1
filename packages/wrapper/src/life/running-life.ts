import type { Ending } from "../program/ending.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import { heldVersions } from "./held-versions.ts";
import { type Knowledge, learn, nextDueMs } from "./knowledge.ts";
import type { Life, LifeContext, LifeEffect, Running, StartedProgram, Step } from "./life.ts";
import { checkPauseMs } from "./pace.ts";
import { afterProgramEnd } from "./program-end.ts";
import { andThen, count, enterPhase, step } from "./steps.ts";

/** A life whose program runs, with the knowledge of that program's secrets. */
export interface RunningLife extends Life {
  readonly stage: Running;
  readonly knowledge: Knowledge;
}

/** Whether a program runs. */
export function isRunning(life: Life): life is RunningLife {
  return life.stage.kind === "running" && life.knowledge !== undefined;
}

/** The program that was started last is another one. */
export const forNewProgram = [
  { kind: "follow program" },
  { kind: "measure protection" },
] as const satisfies readonly LifeEffect[];

/** A program runs: the first one, or one that was started again. */
export function beginRunning(life: Life, program: StartedProgram, context: LifeContext): Step {
  const running = runningWith(life, program, context);
  return andThen(step(running, { kind: "open health port" }, ...forNewProgram), () =>
    goOn(running, context),
  );
}

/** The life of a program that has just been started. */
export function runningWith(
  life: Life,
  program: StartedProgram,
  context: LifeContext,
): RunningLife {
  const { startedAtMs, fetchedAtMs, secrets, delivery: method } = program;
  const { random, memory, wallMs, nowMs } = context;
  const sinceMs = Math.round(wallMs - (nowMs - startedAtMs));
  return {
    ...count(life, () => ({ delivery: { method, memory } })),
    hasRun: true,
    applicationRuns: true,
    // A lease's time began with the fetch, not with the program.
    knowledge: learn(secrets, { nowMs: fetchedAtMs, random }),
    versions: heldVersions(life.versions, secrets.watched, sinceMs),
    stage: {
      kind: "running",
      startedAtMs,
      activity: { kind: "none" },
      rotatedAtMs: startedAtMs,
      rotateAtMs: Number.POSITIVE_INFINITY,
      failedRotations: 0,
      isOutdated: false,
      permit: { kind: "none" },
      checks: { count: 0, failures: 0, unstarted: 0, hurry: false, tookMs: 0 },
    },
  };
}

/** With the knowledge of secrets whose values the program has, unless it keeps its first ones. */
export function knowing(
  life: RunningLife,
  knowledge: Knowledge,
  { wallMs }: LifeContext,
): RunningLife {
  if (life.stage.keepsFirstValues === true) return { ...life, knowledge };
  const versions = heldVersions(life.versions, knowledge.watched, wallMs);
  return { ...life, knowledge, versions };
}

/** Waits for the next check or rotation. */
export function goOn(life: RunningLife, context: LifeContext): Step {
  const { settings, nowMs, token, random } = context;
  const { checks } = life.stage;
  const { renewalIntervalMs, hints } = settings.rotation;
  if (rotationOf(settings).way === undefined) {
    return enterPhase(doing(life, { kind: "none" }), { kind: "running" });
  }
  const pauseMs = checks.hurry
    ? 0
    : checkPauseMs({
        intervalMs: renewalIntervalMs,
        hintedIntervalMs: isFresh(life, nowMs) ? hints?.intervalMs : undefined,
        failures: checks.failures,
        lasting: checks.lastFailure?.lasting === true,
        first: checks.count === 0,
        tokenUnknown: token === undefined,
        dueInMs: nextDueMs(life.knowledge, token) - nowMs,
        random,
      });
  return waitUntil(life, nowMs + pauseMs, context);
}

/** A pause is over: the check comes, unless hints still say that the secrets are the newest. */
export function isCheckDue(life: RunningLife, checkAtMs: number, nowMs: number): boolean {
  return nowMs >= checkAtMs || !isFresh(life, nowMs);
}

/** Waits for a check at this time, or for a rotation or the end of hints before that. */
export function waitUntil(life: RunningLife, checkAtMs: number, context: LifeContext): Step {
  const { settings, nowMs, random } = context;
  const { renewalIntervalMs } = settings.rotation;
  // A fleet whose hints stop at one moment spreads over the interval.
  const lapseAtMs = isFresh(life, nowMs)
    ? life.freshUntilMs + renewalIntervalMs * random
    : Number.POSITIVE_INFINITY;
  const pauseMs = Math.max(0, Math.min(checkAtMs, lapseAtMs) - nowMs);
  const untilRotationMs = Math.max(0, life.stage.rotateAtMs - nowMs);
  const next = untilRotationMs <= pauseMs ? "rotation" : "check";
  return andThen(
    enterPhase(doing(life, { kind: "waiting", next, checkAtMs }), { kind: "running" }),
    (waiting) => step(waiting, { kind: "wait", ms: Math.min(pauseMs, untilRotationMs) }),
  );
}

/** Whether the operator's last hint still holds that all secrets are the newest. */
function isFresh({ freshUntilMs, stage }: RunningLife, nowMs: number): boolean {
  return nowMs < freshUntilMs && !stage.isOutdated;
}

/** The program has ended. */
export function ended(life: RunningLife, ending: Ending, context: LifeContext): Step {
  return afterProgramEnd(life, { ending, startedAtMs: life.stage.startedAtMs }, context);
}

/** With another activity. */
export function doing(life: RunningLife, activity: Running["activity"]): RunningLife {
  return withStage(life, { activity });
}

/** With a change of its stage. */
export function withStage(life: RunningLife, change: Partial<Running>): RunningLife {
  return { ...life, stage: { ...life.stage, ...change } };
}

/** With a change of its history of checks. */
export function withChecks(life: RunningLife, change: Partial<Running["checks"]>): RunningLife {
  return withStage(life, { checks: { ...life.stage.checks, ...change } });
}
