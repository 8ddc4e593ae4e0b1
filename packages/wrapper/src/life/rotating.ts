import type { Failure } from "../errors.ts";
import { showsValues } from "../program/delivery-traits.ts";
import type { Ending } from "../program/ending.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import { noFailures } from "./check-history.ts";
import { countRotation } from "./counts.ts";
import { type Knowledge, learn, learnUnchanged, mayGoBack } from "./knowledge.ts";
import type {
  LifeContext,
  LifeEffect,
  RotationOutcome,
  StartedProgram,
  Step,
  ValuesToRefuse,
} from "./life.ts";
import { afterLostProgram } from "./program-end.ts";
import {
  doing,
  ended,
  forNewProgram,
  goOn,
  knowing,
  type RunningLife,
  runningWith,
  withChecks,
  withStage,
} from "./running-life.ts";
import { andThen, degradeMemory, say, sayFailures, step } from "./steps.ts";

/** Begins a rotation, which fulfils the plan: another one is made if it fails. */
export function rotate(life: RunningLife, { settings, nowMs }: LifeContext): Step {
  const { way } = rotationOf(settings);
  if (way === undefined) return step(life);
  const begun = withStage(life, { rotateAtMs: Number.POSITIVE_INFINITY });
  const refuse = valuesToRefuse(life.knowledge, nowMs);
  return step(doing(begun, { kind: "rotating" }), { kind: "rotate", by: way, refuse });
}

/** A lease that ends is replaced even if all other secrets are the same. */
function valuesToRefuse(knowledge: Knowledge, nowMs: number): ValuesToRefuse {
  const { ending, digest, watched } = knowledge;
  return {
    ...(ending.length > 0 ? {} : { unlessDigest: digest }),
    ...(mayGoBack(knowledge, nowMs) ? {} : { notBefore: watched }),
  };
}

/** A rotation has ended. */
export function onRotationEnd(
  life: RunningLife,
  outcome: RotationOutcome,
  context: LifeContext,
): Step {
  switch (outcome.kind) {
    case "ended":
      return concluded(life, outcome.ending, context);
    case "lost":
      return afterLostProgram(countRotation(life, "failed", context), outcome.outcome, context);
    case "running":
      return onReplaced(life, outcome.program, context);
    case "refreshed": {
      const { delivery } = life.counts;
      const getsNone = delivery !== undefined && showsValues(delivery.method);
      const fresh = withStage(life, {
        rotatedAtMs: context.nowMs,
        ...(getsNone && { keepsFirstValues: true }),
      });
      const known = knowing(fresh, learn(outcome.state, context), context);
      return goOn(countRotation(succeeded(known), "completed", context), context);
    }
    case "unchanged": {
      const knowledge = learnUnchanged(life.knowledge, outcome.state, context);
      const same = succeeded(knowing(life, knowledge, context));
      const line = say("info", "the program has these secrets already: it is left alone");
      return andThen(step(same, line), () => stayed(life, same, context));
    }
    case "failed":
      return onFailedRotation(life, outcome.failures, context);
  }
}

function onReplaced(life: RunningLife, program: StartedProgram, context: LifeContext): Step {
  const { checks } = life.stage;
  const replaced = runningWith(countRotation(life, "completed", context), program, context);
  // The pace of checks is the wrapper's, not the program's.
  const paced = withChecks(replaced, { ...checks, ...noFailures });
  const told = permitOver(life, "done");
  return andThen(step(paced, ...forNewProgram, ...told), () => goOn(paced, context));
}

function onFailedRotation(
  life: RunningLife,
  failures: readonly Failure[],
  context: LifeContext,
): Step {
  const { activity, failedRotations } = life.stage;
  const hasEnded = activity.kind === "rotating" && activity.ending !== undefined;
  const degraded = hasEnded ? [] : degradeMemory(failures, context);
  if (degraded.length > 0) {
    return andThen(step(life, ...degraded), () => rotate(life, context));
  }
  const counted = countRotation(life, "failed", context);
  const failed = withStage(counted, { failedRotations: failedRotations + 1 });
  const lines = sayFailures("error", failures, "the program keeps its values: ");
  return andThen(step(failed, ...lines), () => stayed(life, failed, context));
}

/** The rotation has left the program alone, which may have ended by itself meanwhile. */
function stayed({ stage }: RunningLife, next: RunningLife, context: LifeContext): Step {
  const { activity } = stage;
  return concluded(next, activity.kind === "rotating" ? activity.ending : undefined, context);
}

/** The operator hears that the rotation is over, and the next one needs another permit. */
function concluded(life: RunningLife, ending: Ending | undefined, context: LifeContext): Step {
  const told = permitOver(life, ending === undefined ? "kept" : "done");
  const next = withStage(life, { permit: { kind: "none" } });
  return andThen(step(next, ...told), () => goOnOrEnd(next, ending, context));
}

function goOnOrEnd(next: RunningLife, ending: Ending | undefined, context: LifeContext): Step {
  return ending === undefined ? goOn(next, context) : ended(next, ending, context);
}

/** The operator hears of the end of a rotation that had a permit. */
function permitOver({ stage }: RunningLife, told: "done" | "kept"): readonly LifeEffect[] {
  return stage.permit.kind === "held" ? [{ kind: "tell permit", say: told }] : [];
}

function succeeded(life: RunningLife): RunningLife {
  return withChecks(withStage(life, { failedRotations: 0, isOutdated: false }), noFailures);
}
