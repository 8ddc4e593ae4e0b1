import type { Ending } from "../program/ending.ts";
import { rotationOf } from "../settings/rotation-traits.ts";
import { check, onCheckEnd } from "./checking.ts";
import type { LifeContext, LifeEvent, Step } from "./life.ts";
import { beginRotation, onPermitAnswer } from "./permits.ts";
import { onRotationEnd, rotate } from "./rotating.ts";
import {
  doing,
  ended,
  goOn,
  isCheckDue,
  type RunningLife,
  waitUntil,
  withChecks,
} from "./running-life.ts";
import { afterUnsealServer, giveUp, type UnsealServerEnd } from "./sealed.ts";
import { andThen, say, step } from "./steps.ts";

/** What happens while a program runs. */
export function advanceRunning(life: RunningLife, event: LifeEvent, context: LifeContext): Step {
  const { activity } = life.stage;
  if (event.kind === "program ended") return onProgramEnd(life, event.ending, context);
  if (event.kind === "check wanted") return onCheckWanted(life, context);
  switch (activity.kind) {
    case "none":
      return step(life);
    case "waiting":
      return event.kind === "time" ? onPauseEnd(life, activity, context) : step(life);
    case "draining":
      return event.kind === "time" ? rotate(life, context) : step(life);
    case "asking":
      if (event.kind !== "permit answered") return step(life);
      return onPermitAnswer(life, event.outcome, activity, context);
    case "checking":
      if (event.kind !== "check ended") return step(life);
      return onCheckEnd(life, event.outcome, activity, context);
    case "rotating":
      if (event.kind !== "rotation ended") return step(life);
      return onRotationEnd(life, event.outcome, context);
    case "unsealing":
      return onUnsealing(life, event, context);
  }
}

/** A check that is under way may have read before the change: another one follows. */
export function onCheckWanted(life: RunningLife, context: LifeContext): Step {
  const { kind } = life.stage.activity;
  if (kind === "none" || kind === "unsealing") return step(life);
  if (kind !== "waiting") return step(withChecks(life, { hurry: true }));
  return andThen(step(life, { kind: "cancel" }), () => check(life, context));
}

function onUnsealing(life: RunningLife, event: LifeEvent, context: LifeContext): Step {
  if (event.kind === "unseal server ended") return onUnsealServerEnd(life, event, context);
  return event.kind === "time" ? afterUnsealingPause(life, context) : step(life);
}

type Waiting = Extract<RunningLife["stage"]["activity"], { readonly kind: "waiting" }>;

function onPauseEnd(
  life: RunningLife,
  { next, checkAtMs }: Pick<Waiting, "next" | "checkAtMs">,
  context: LifeContext,
): Step {
  if (next === "rotation") return beginRotation(life, checkAtMs, context);
  return isCheckDue(life, checkAtMs, context.nowMs)
    ? check(life, context)
    : waitUntil(life, checkAtMs, context);
}

/** While a rotation by restart is under way it has ended the program itself, and reports that. */
function onProgramEnd(life: RunningLife, ending: Ending, context: LifeContext): Step {
  const { activity } = life.stage;
  if (activity.kind === "rotating" && rotationOf(context.settings).restarts) {
    return step(doing(life, { kind: "rotating", ending }));
  }
  return ended(life, ending, context);
}

function onUnsealServerEnd(life: RunningLife, end: UnsealServerEnd, context: LifeContext): Step {
  const next = afterUnsealServer(end, context);
  if (next.kind === "unsealed") {
    return andThen(step(life, ...next.effects), () => afterUnsealing(life, context));
  }
  if (next.kind === "hopeless") return giveUp(life, next.failure);
  return step(life, ...next.effects);
}

function afterUnsealingPause(life: RunningLife, context: LifeContext): Step {
  if (context.hasToken) {
    return andThen(step(life, say("info", "unsealed")), () => afterUnsealing(life, context));
  }
  return step(life, { kind: "serve unseal" });
}

function afterUnsealing(life: RunningLife, context: LifeContext): Step {
  const hurried = withChecks(life, { hurry: true });
  return andThen(step(hurried, { kind: "open health port" }), () => goOn(hurried, context));
}
