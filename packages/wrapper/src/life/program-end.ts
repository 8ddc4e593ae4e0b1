import { SIGKILL } from "@svc/kernel";
import { signalName } from "@svc/settings";
import { canBeUnsealed } from "../can-be-unsealed.ts";
import type { Ending } from "../program/ending.ts";
import { afterEnd } from "./after-end.ts";
import { completedRotations } from "./counts.ts";
import { mayGoBack } from "./knowledge.ts";
import type { Exit, Life, LifeContext, LifeEffect, NoProgram, Step } from "./life.ts";
import { beginUnsealing, isSealed } from "./sealed.ts";
import { silentCourier } from "./silent-courier.ts";
import { andThen, count, degradeMemory, enterPhase, say, sayFailures, step } from "./steps.ts";

/** A node that is behind has the newest version a moment later, as a rule. */
const OUTDATED_PAUSE_MS = 1000;

/** Starts a program, or waits for a token first. @param isUnderWay true for the first courier */
export function begin(life: Life, context: LifeContext, isUnderWay = false): Step {
  if (!isUnderWay && isSealed(life, context)) {
    return beginUnsealing({ ...life, stage: { kind: "sealed" } });
  }
  const beginning: Life = { ...life, stage: { kind: "beginning" } };
  const reason = "the secrets are being fetched";
  return andThen(enterPhase(beginning, { kind: "starting", reason }), (entered) =>
    step(entered, { kind: "start program", ...oldestToTake(life, context) }),
  );
}

/** A program that is started again gets no older values than the one before it. */
function oldestToTake({ knowledge }: Life, { nowMs }: LifeContext) {
  if (knowledge === undefined || mayGoBack(knowledge, nowMs)) return {};
  return { notBefore: knowledge.watched };
}

/** A courier has not become the program. */
export function afterFailedStart(life: Life, outcome: NoProgram, context: LifeContext): Step {
  const failures = outcome.kind === "failed" ? outcome.failures : [];
  // A token that was good has died: the wrapper waits for another one instead of ending.
  const isRefused = failures.some(({ code }) => code === "TOKEN_REFUSED");
  if (isRefused && canBeUnsealed(context.settings, life.hasRun)) {
    const said = step(life, ...sayFailures("error", failures), { kind: "give token up" });
    return andThen(said, (next) => begin(next, { ...context, hasToken: false }));
  }
  const degraded = degradeMemory(failures, context);
  if (degraded.length > 0) {
    return andThen(step(life, ...degraded), (next) => begin(next, context));
  }
  const { knowledge } = life;
  const isOutdated = failures.some(({ code }) => code === "SECRET_OUTDATED");
  if (isOutdated && knowledge !== undefined) {
    const older = { ...knowledge, olderSinceMs: knowledge.olderSinceMs ?? context.nowMs };
    return step(
      { ...life, knowledge: older, stage: { kind: "pausing" } },
      ...sayFailures("warn", failures, "the program is not started yet: "),
      { kind: "wait", ms: OUTDATED_PAUSE_MS },
    );
  }
  return endWithoutProgram(life, outcome);
}

/** The program has ended by itself, or by a signal: SVC_RESTART decides. */
export function afterProgramEnd(
  life: Life,
  { ending, startedAtMs }: { readonly ending: Ending; readonly startedAtMs: number },
  context: LifeContext,
): Step {
  const { settings, nowMs } = context;
  const ranForMs = nowMs - startedAtMs;
  const { restarts } = life;
  const stopping = context.isStopping || wasAskedFor(ending, context);
  const next = afterEnd(settings.restart, { ending, ranForMs, restarts, stopping });
  const released = step(
    { ...life, applicationRuns: false },
    ...([{ kind: "cancel" }, { kind: "release program" }] as const),
  );
  if (next.kind === "exit")
    return andThen(released, (free) => endWithProgram(free, ending, context));
  const { attempt, delayMs } = next;
  const reason = "the program has ended and is started again";
  return andThen(released, (free) =>
    andThen(enterPhase(free, { kind: "restarting", reason }), (entered) =>
      step(
        { ...entered, stage: { kind: "pausing", attempt } },
        say("warn", "the program has ended: it is started again", {
          ...ending,
          ranForMs: Math.round(ranForMs),
          attempt,
          inMs: delayMs,
        }),
        { kind: "kill leftovers" },
        { kind: "wait", ms: delayMs },
      ),
    ),
  );
}

/**
 * True for an end with 0, or by a signal, soon after a container's runtime has sent it. The wrapper
 * does not know every image's stop signal.
 */
function wasAskedFor({ exitCode }: Ending, { fromOutside, settings }: LifeContext): boolean {
  if (fromOutside === undefined || fromOutside.agoMs > settings.stopGraceMs) return false;
  return exitCode === 0 || exitCode === 128 + fromOutside.signal;
}

/** The pause before a restart is over, or before a start that is repeated. */
export function afterPause(life: Life, attempt: number | undefined, context: LifeContext): Step {
  if (attempt === undefined) return begin(life, context);
  const counted = count(life, ({ applicationRestarts }) => ({
    applicationRestarts: { ...applicationRestarts, crash: applicationRestarts.crash + 1 },
  }));
  return begin({ ...counted, restarts: attempt }, context);
}

/** A rotation has ended the old program, and its courier did not become the new one. */
export function afterLostProgram(life: Life, outcome: NoProgram, context: LifeContext): Step {
  const released = step({ ...life, applicationRuns: false }, { kind: "release program" });
  if (!wasKilled(outcome, context)) {
    return andThen(released, (free) => endWithoutProgram(free, outcome));
  }
  const message =
    "the courier was killed when the old program had ended for it: starting another one";
  return andThen(released, (free) =>
    andThen(step(free, say("error", message)), (next) => begin(next, context)),
  );
}

/** By the kernel for want of memory, most likely: the wrapper was not asked to end. */
function wasKilled(outcome: NoProgram, { isStopping }: LifeContext): boolean {
  return !isStopping && outcome.kind === "died" && outcome.ending.signal === SIGKILL;
}

/**
 * A signal ends the wrapper while no program runs; another one does not wait for the revocation.
 */
export function endBySignal(life: Life, signal: number): Step {
  const line = say("warn", "ended while the program was not running", {
    signal: signalName(signal),
  });
  const reason = "the wrapper was asked to end";
  return andThen(step(life, { kind: "cancel" }, line), (said) =>
    andThen(enterPhase(said, { kind: "stopped", reason }), (stopped) =>
      clearAway(stopped, {
        ...{ exit: { kind: "signal", signal }, onSignal: "exit" },
        ...leftoversOf(life),
      }),
    ),
  );
}

/** The wrapper ends as the program did. No later signal changes the exit code. */
function endWithProgram(life: Life, ending: Ending, context: LifeContext): Step {
  // If the program was started only once, its own end tells everything.
  const level = hasRestarted(life) ? "info" : "debug";
  const line = say(level, "the program has ended", {
    exitCode: ending.exitCode,
    signal: ending.signal,
  });
  const leftoversGraceMs = context.settings.stopGraceMs - context.stoppingForMs;
  return andThen(step(life, line), (said) =>
    andThen(enterPhase(said, { kind: "stopped", reason: "the program has ended" }), (stopped) =>
      clearAway(stopped, {
        ...{ exit: { kind: "program", ending }, onSignal: "hurry", leftoversGraceMs },
      }),
    ),
  );
}

/** 128 + n for a courier that a signal ended (a forwarded SIGTERM, the kernel's OOM killer). */
function endWithoutProgram(life: Life, outcome: NoProgram): Step {
  if (outcome.kind === "died" && outcome.ending.signal !== undefined) {
    const { signal } = outcome.ending;
    const line = say("warn", "ended before the program was started", {
      signal: signalName(signal),
    });
    return andThen(step(life, line), (said) =>
      clearAway(said, {
        ...{ exit: { kind: "signal", signal }, onSignal: "switch" },
        ...leftoversOf(life),
      }),
    );
  }
  const failures = outcome.kind === "failed" ? outcome.failures : [silentCourier()];
  return clearAway(life, {
    ...{ exit: { kind: "failures", failures }, onSignal: "switch" },
    ...leftoversOf(life),
  });
}

/** An earlier program may have left a process that was born while the others were killed. */
function leftoversOf({ hasRun }: Life): Pick<Clearing, "leftoversGraceMs"> {
  return hasRun ? { leftoversGraceMs: 0 } : {};
}

interface Clearing {
  readonly exit: Exit;
  readonly onSignal: "hurry" | "switch" | "exit";
  /** If the program may have left processes running. */
  readonly leftoversGraceMs?: number;
}

function clearAway(life: Life, { exit, onSignal, leftoversGraceMs }: Clearing): Step {
  const clear: LifeEffect = {
    kind: "clear away",
    ...(leftoversGraceMs !== undefined && { leftoversGraceMs }),
  };
  return step({ ...life, stage: { kind: "ending", exit, onSignal } }, clear);
}

/** Whether the program that runs is not the first one, or has not its first values. */
function hasRestarted({ counts }: Life): boolean {
  return counts.applicationRestarts.crash + completedRotations(counts) > 0;
}
