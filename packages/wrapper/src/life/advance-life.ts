import { noCounts } from "../health/wrapper-facts.ts";
import { onHint } from "./hints.ts";
import type {
  Life,
  LifeContext,
  LifeEvent,
  Observation,
  Stage,
  StartOutcome,
  Step,
} from "./life.ts";
import { afterFailedStart, afterPause, begin, endBySignal } from "./program-end.ts";
import { advanceRunning } from "./running.ts";
import { beginRunning, isRunning } from "./running-life.ts";
import { afterUnsealServer, giveUp, type UnsealServerEnd } from "./sealed.ts";
import { type ShownFailure, shownFailure } from "./shown-failure.ts";
import { andThen, count, enterPhase, say, step } from "./steps.ts";

/** Before anything has happened. */
export const newLife: Life = {
  stage: { kind: "beginning" },
  phase: { kind: "starting", reason: "the wrapper starts" },
  counts: noCounts,
  versions: [],
  freshUntilMs: 0,
  hasRun: false,
  applicationRuns: false,
  restarts: 0,
};

/**
 * The wrapper's life: the state and the effects that follow an event. Pure. Events that a
 * stage does not wait for are those of an activity that was cancelled: they change nothing.
 */
export function advanceLife(life: Life, event: LifeEvent, context: LifeContext): Step {
  switch (event.kind) {
    case "observed":
      return observe(life, event.observation, context);
    case "hint":
      return onHint(life, event.hint, context);
    default:
      return advanceStage(life, event, context);
  }
}

function advanceStage(life: Life, event: LifeEvent, context: LifeContext): Step {
  if (isRunning(life)) return advanceRunning(life, event, context);
  const { stage } = life;
  if (event.kind === "signal" && stage.kind !== "ending") return endBySignal(life, event.signal);
  switch (stage.kind) {
    case "ending":
      return advanceEnding(life, stage, event);
    case "sealed":
      if (event.kind === "unseal server ended") return onUnsealServerEnd(life, event, context);
      return event.kind === "time" ? afterSealedPause(life, context) : step(life);
    case "beginning":
      if (event.kind === "begin") return begin(life, context, event.isUnderWay);
      return event.kind === "start ended" ? onStartEnd(life, event.outcome, context) : step(life);
    case "pausing":
      return event.kind === "time" ? afterPause(life, stage.attempt, context) : step(life);
    case "running":
      return step(life);
  }
}

function onStartEnd(life: Life, outcome: StartOutcome, context: LifeContext): Step {
  return outcome.kind === "running"
    ? beginRunning(life, outcome.program, context)
    : afterFailedStart(life, outcome, context);
}

function onUnsealServerEnd(life: Life, end: UnsealServerEnd, context: LifeContext): Step {
  const next = afterUnsealServer(end, context);
  if (next.kind === "unsealed") {
    return andThen(step(life, ...next.effects), (unsealed) => begin(unsealed, context));
  }
  if (next.kind === "hopeless") return giveUp(life, next.failure);
  return step(life, ...next.effects);
}

function afterSealedPause(life: Life, context: LifeContext): Step {
  if (context.hasToken) {
    return andThen(step(life, say("info", "unsealed")), (unsealed) => begin(unsealed, context));
  }
  return step(life, { kind: "serve unseal" });
}

function advanceEnding(life: Life, stage: Ending, event: LifeEvent): Step {
  switch (event.kind) {
    case "cleared":
      return step(life, { kind: "close health port" }, { kind: "exit", exit: stage.exit });
    case "signal":
      return onSignalWhileEnding(life, stage, event);
    default:
      return step(life);
  }
}

type Ending = Extract<Stage, { readonly kind: "ending" }>;
type Signalled = Extract<LifeEvent, { readonly kind: "signal" }>;

function onSignalWhileEnding(life: Life, stage: Ending, event: Signalled): Step {
  const bySignal = { kind: "signal", signal: event.signal } as const;
  switch (stage.onSignal) {
    case "hurry":
      return step(life, { kind: "hurry" });
    case "switch":
      // The revocation is under way already.
      return step({ ...life, stage: { kind: "ending", exit: bySignal, onSignal: "exit" } });
    case "exit":
      return step(life, { kind: "exit", exit: bySignal });
  }
}

function observe(life: Life, observation: Observation, { settings }: LifeContext): Step {
  switch (observation.kind) {
    case "phase":
      return enterPhase(life, observation.phase);
    case "login":
      return step(count(life, ({ logins }) => ({ logins: logins + 1 })));
    case "delay":
      return onDelay(life, shownFailure(observation.failure, settings));
    case "unprotected program": {
      const counted = count(life, ({ unprotectedPrograms }) => ({
        unprotectedPrograms: unprotectedPrograms + 1,
      }));
      return step(counted, { kind: "say protection" });
    }
    case "unseal attempt": {
      const { result } = observation;
      return step(
        count(life, ({ unsealAttempts }) => ({
          unsealAttempts: { ...unsealAttempts, [result]: unsealAttempts[result] + 1 },
        })),
      );
    }
    case "program ready": {
      const { startTookMs } = observation;
      const fields = { afterMs: Math.round(startTookMs) };
      return step({ ...life, startTookMs }, say("info", "the program is ready", fields));
    }
    case "agent":
      return step(
        count(life, () => ({ agent: observation.agent })),
        { kind: "say protection" },
      );
  }
}

/** Probes and `svc explain` hear why the program does not start. */
function onDelay(life: Life, { code, text }: ShownFailure): Step {
  if (life.phase.kind !== "starting") return step(life);
  return enterPhase(life, {
    ...{ kind: "starting", reason: `the secrets are being fetched: ${text}` },
    code,
  });
}
