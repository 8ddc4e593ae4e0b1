import { exitProcess, signalName } from "@svc/kernel";
import { canBeUnsealed } from "./can-be-unsealed.ts";
import { type Failure, failuresOf } from "./errors.ts";
import { afterEnd } from "./lifecycle/after-end.ts";
import { beginProgram } from "./lifecycle/begin-program.ts";
import { degradeMemory } from "./lifecycle/degrade-memory.ts";
import type { DeliveryOutcome } from "./lifecycle/delivery.ts";
import { endWithParent } from "./lifecycle/end-with-parent.ts";
import { keepRunning, type RunOutcome } from "./lifecycle/keep-running.ts";
import { measureSoon } from "./lifecycle/measure-soon.ts";
import { revokeToken } from "./lifecycle/revoke-token.ts";
import { silentCourier } from "./lifecycle/silent-courier.ts";
import { sleep } from "./lifecycle/sleep.ts";
import { unseal } from "./lifecycle/unseal.ts";
import type { World } from "./lifecycle/world.ts";
import type { Ending } from "./supervisor/children.ts";
import type { WorkingCourier } from "./supervisor/couriers.ts";
import { exitWith } from "./supervisor/exit-with.ts";

const SIGKILL = 9;

/**
 * The wrapper's life from its first courier on: unsealed, started, kept running, started again where
 * that is asked for. Ends the process.
 *
 * @param first the courier that is under way; undefined where there is no token for it yet.
 */
export async function runLifecycle(world: World, first?: WorkingCourier): Promise<never> {
  world.front.whenNothingRuns((signal) => void endBySignal(world, signal));
  const { parentPid } = world.settings;
  if (parentPid !== undefined) endWithParent(world.log, parentPid);
  try {
    return await live(world, first);
  } catch (error) {
    return endAfterMistake(world, error);
  }
}

/** A mistake of ours must not take a running program down with it, and its end must still be seen. */
async function endAfterMistake({ front, log, settings }: World, error: unknown): Promise<never> {
  const failures = failuresOf(error);
  for (const { code, message } of failures) log.error(message, { code });
  const ending = await front.target?.ended;
  if (ending !== undefined) return exitProcess(ending.exitCode);
  return exitWith(failures, log, settings.terminationLogPath);
}

async function live(world: World, first: WorkingCourier | undefined): Promise<never> {
  let courier = first;
  let restarts = 0;
  let hasRun = false;
  for (;;) {
    if (courier === undefined && isSealed(world, hasRun)) await unseal(world, never);
    const started = await beginProgram(world, courier);
    courier = undefined;
    if (started.kind !== "running") {
      if (mayBeUnsealedAgain(world, started, hasRun)) continue;
      if (started.kind === "failed" && degradeMemory(world, started.failures)) continue;
      return endWithout(world, started);
    }
    hasRun = true;
    world.health.open();
    const { delivery: method } = started.program;
    world.status.noteDelivery({ method, memory: world.couriers.memoryKind });
    measureSoon(world, started.program);
    const outcome = await keepRunning(world, started.program);
    restarts = await pauseOrExit(world, outcome, restarts);
  }
}

const never = new AbortController().signal;

function isSealed({ settings, session }: World, hasRun: boolean): boolean {
  return canBeUnsealed(settings, hasRun) && !session.hasToken;
}

/** A token that was good and has died since is no reason to end: another one can be brought. */
function mayBeUnsealedAgain(world: World, outcome: DeliveryOutcome, hasRun: boolean): boolean {
  if (!canBeUnsealed(world.settings, hasRun)) return false;
  if (outcome.kind !== "failed") return false;
  if (outcome.failures.every(({ code }) => code !== "TOKEN_REFUSED")) return false;
  for (const { code, message, hint } of outcome.failures) world.log.error(message, { code, hint });
  world.session.giveTokenUp();
  return true;
}

/** Decides by SVC_RESTART; returns the number of restarts in a row once it is time for the next. */
async function pauseOrExit(world: World, outcome: RunOutcome, restarts: number): Promise<number> {
  const { settings, front, log, status } = world;
  front.stands(undefined);
  if (outcome.kind === "lost") {
    if (!wasKilled(world, outcome.outcome)) return endWithout(world, outcome.outcome);
    log.error("the courier was killed when the old program had ended for it: starting another one");
    return restarts;
  }
  const { ending, program } = outcome;
  const ranForMs = performance.now() - program.startedAtMs;
  const next = afterEnd(settings.restart, {
    ending,
    ranForMs,
    restarts,
    stopping: front.stopping,
  });
  if (next.kind === "exit") return endWith(world, ending);
  status.enter({ kind: "restarting", reason: "the program has ended and is started again" });
  log.warn("the program has ended: it is started again", {
    ...ending,
    ranForMs: Math.round(ranForMs),
    attempt: next.attempt,
    inMs: next.delayMs,
  });
  world.leftovers.kill();
  await sleep(next.delayMs, never);
  status.note(({ applicationRestarts }) => ({
    applicationRestarts: { ...applicationRestarts, crash: applicationRestarts.crash + 1 },
  }));
  return next.attempt;
}

/** By the kernel for want of memory, most likely: nobody has asked for the end. */
function wasKilled({ front }: World, outcome: DeliveryOutcome): boolean {
  return !front.stopping && outcome.kind === "died" && outcome.ending.signal === SIGKILL;
}

/** The wrapper ends as the program did. */
async function endWith(world: World, { exitCode, signal }: Ending): Promise<never> {
  const { status, health, front, log } = world;
  // Of a program that was started once its own end tells everything.
  const level = status.hasRestarted ? "info" : "debug";
  log[level]("the program has ended", { exitCode, signal });
  status.enter({ kind: "stopped", reason: "the program has ended" });
  // The program's code is the wrapper's, whatever arrives now; the revocation takes 2.5 s at most.
  const hurry = new AbortController();
  front.whenNothingRuns(() => hurry.abort());
  const graceMs = world.settings.stopGraceMs - front.stoppingForMs;
  await Promise.all([world.leftovers.end(graceMs, hurry.signal), revokeToken(world)]);
  health.close();
  return exitProcess(exitCode);
}

/** While sealed, or in the pause before a restart. A second signal does not wait for the revocation. */
async function endBySignal(world: World, signal: number): Promise<never> {
  const { status, health, front, log } = world;
  front.whenNothingRuns((next) => exitProcess(128 + next));
  log.warn("ended while the program was not running", { signal: signalName(signal) });
  status.enter({ kind: "stopped", reason: "the wrapper was asked to end" });
  await revokeToken(world);
  health.close();
  return exitProcess(128 + signal);
}

/** 128 + n for a courier that a signal ended (a forwarded SIGTERM, the kernel's OOM killer). */
async function endWithout(world: World, outcome: DeliveryOutcome): Promise<never> {
  const { settings, health, log } = world;
  await revokeToken(world);
  health.close();
  if (outcome.kind === "died" && outcome.ending.signal !== undefined) {
    const { signal, exitCode } = outcome.ending;
    log.warn("ended before the program was started", { signal: signalName(signal) });
    return exitProcess(exitCode);
  }
  return exitWith(failuresOfOutcome(outcome), log, settings.terminationLogPath);
}

function failuresOfOutcome(outcome: DeliveryOutcome): readonly Failure[] {
  return outcome.kind === "failed" ? outcome.failures : [silentCourier];
}
