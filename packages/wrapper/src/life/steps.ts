import type { Failure } from "../errors.ts";
import type { WrapperCounts } from "../health/wrapper-facts.ts";
import type { LogFields, LogLevel } from "../log.ts";
import type { Life, LifeContext, LifeEffect, Phase, Step } from "./life.ts";

/** A new life, and the effects that follow. */
export function step(life: Life, ...effects: readonly LifeEffect[]): Step {
  return { life, effects };
}

/** Goes on from the life that a step leads to. */
export function andThen({ life, effects }: Step, next: (life: Life) => Step): Step {
  const following = next(life);
  return { life: following.life, effects: [...effects, ...following.effects] };
}

/** Changes the counts. */
export function count<L extends Life>(
  life: L,
  change: (counts: WrapperCounts) => Partial<WrapperCounts>,
): L {
  return { ...life, counts: { ...life.counts, ...change(life.counts) } };
}

/** Enters a phase; systemd hears of one that is new. */
export function enterPhase(life: Life, phase: Phase): Step {
  if (isSamePhase(life.phase, phase)) return step(life);
  return step({ ...life, phase }, { kind: "tell phase", phase });
}

function isSamePhase(one: Phase, other: Phase): boolean {
  if (one.kind === "running" || other.kind === "running") {
    return one.kind === other.kind && "sealed" in one === "sealed" in other;
  }
  return one.kind === other.kind && one.reason === other.reason;
}

/** A line of the log. */
export function say(level: LogLevel, message: string, fields?: LogFields): LifeEffect {
  return { kind: "log", level, message, ...(fields && { fields }) };
}

/** A line of the log for each failure. @param prefix stands before their messages */
export function sayFailures(
  level: LogLevel,
  failures: readonly Failure[],
  prefix = "",
): readonly LifeEffect[] {
  return failures.map(({ code, message, hint }) => say(level, prefix + message, { code, hint }));
}

/**
 * Answers a courier that was not allowed to lock enough memory: regions are ordinary memory from
 * now on, if the settings allow that.
 *
 * @returns nothing if that is not the failure, or does not help.
 */
export function degradeMemory(
  failures: readonly Failure[],
  { settings, memory }: LifeContext,
): readonly LifeEffect[] {
  const { requireMlock, requireMemfdSecret } = settings.memory;
  const found = failures.find(({ code }) => code === "MEMORY_LOCK_LIMIT");
  if (found === undefined || memory === "memfd" || requireMlock || requireMemfdSecret) return [];
  const { message, hint } = found;
  return [
    { kind: "degrade memory", reason: message },
    say("warn", `degraded: secrets are in ordinary memory: ${message}`, { hint }),
  ];
}
