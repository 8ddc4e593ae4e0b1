import { type Failure, failure } from "../../errors.ts";
import type { CheckResult, FetchedSecrets } from "../../messages/courier-message.ts";
import type { WrapperSettings } from "../../settings.ts";
import { advanceLife, newLife } from "../advance-life.ts";
import type {
  Exit,
  Life,
  LifeContext,
  LifeEffect,
  LifeEvent,
  RotationOutcome,
  StartedProgram,
} from "../life.ts";

/** One who tells the lifecycle a story, event by event. The clock stands at `nowMs`. */
export class Story {
  life: Life = newLife;
  context: LifeContext;

  constructor(settings: WrapperSettings, context: Partial<LifeContext> = {}) {
    this.context = {
      settings,
      hasToken: true,
      token: undefined,
      memory: "memfd_secret",
      isStopping: false,
      stoppingForMs: 0,
      fromOutside: undefined,
      nowMs: 0,
      wallMs: 0,
      random: 0.5,
      ...context,
    };
  }

  /** Tells an event. @returns the effects that follow */
  tell(event: LifeEvent, change: Partial<LifeContext> = {}): readonly LifeEffect[] {
    this.context = { ...this.context, ...change };
    const { life, effects } = advanceLife(this.life, event, this.context);
    this.life = life;
    return effects;
  }

  /** As `tell`, of several events, of which the last one's effects are returned. */
  tellAll(...events: readonly LifeEvent[]): readonly LifeEffect[] {
    return events.map((event) => this.tell(event)).at(-1) ?? [];
  }
}

/** A story whose program runs since the moment 0 of its clock. */
export function running(settings: WrapperSettings, context: Partial<LifeContext> = {}): Story {
  const story = new Story(settings, context);
  story.tellAll(begin, started());
  return story;
}

export const begin: LifeEvent = { kind: "begin", isUnderWay: true };
export const time: LifeEvent = { kind: "time" };

export const secrets: FetchedSecrets = {
  watched: [{ path: "secret/data/app", version: 3, by: "metadata" }],
  leases: [],
  digest: "digest",
  variables: ["PASSWORD"],
  lengthBytes: 4096,
  loggedIn: false,
  memoryLocked: true,
};

export const lease = {
  id: "db/1",
  path: "db/creds/app",
  durationMs: 60_000,
  ttlMs: 60_000,
  renewable: true,
};

/** A program that started with these secrets. */
export function program(change: Partial<StartedProgram> = {}): StartedProgram {
  return { secrets, delivery: "inject", fetchedAtMs: 0, startedAtMs: 0, ...change };
}

export function started(change: Partial<StartedProgram> = {}): LifeEvent {
  return { kind: "start ended", outcome: { kind: "running", program: program(change) } };
}

/** A check that found nothing new. */
export function checked(change: Partial<CheckResult> = {}): LifeEvent {
  const result: CheckResult = {
    ...{ loggedIn: false, renewedLeases: [], endingLeases: [] },
    watched: secrets.watched,
    ...{ changed: false, older: false, failures: [] },
    ...change,
  };
  return { kind: "check ended", outcome: { kind: "done", result } };
}

export const outage = failure("VAULT_FAILED", "connect: refused", "is it there?");
export const refused = failure("TOKEN_REFUSED", "403", "bring another one");
export const noLockedMemory = failure("MEMORY_LOCK_LIMIT", "RLIMIT_MEMLOCK is 0", "raise it");

/** The effects in short; log lines as `level: message`, without those of the level debug. */
export function summary(effects: readonly LifeEffect[]): readonly string[] {
  return effects.filter((effect) => effect.kind !== "log" || effect.level !== "debug").map(inShort);
}

function inShort(effect: LifeEffect): string {
  switch (effect.kind) {
    case "log":
      return `${effect.level}: ${effect.message}`;
    case "wait":
      return `wait ${effect.ms}`;
    case "tell phase":
      return effect.phase.kind === "running"
        ? `phase running${effect.phase.sealed === true ? ", sealed" : ""}`
        : `phase ${effect.phase.kind}: ${effect.phase.reason}`;
    case "exit":
      return exitText(effect.exit);
    case "clear away":
      return effect.leftoversGraceMs === undefined
        ? "clear away"
        : `clear away, leftovers within ${effect.leftoversGraceMs}`;
    case "rotate":
      return `rotate by ${effect.by} unless ${Object.keys(effect.refuse).sort().join(", ")}`;
    case "give up":
      return `give up for ${effect.failures.map(({ code }) => code).join(", ")}`;
    case "degrade memory":
      return `degrade memory: ${effect.reason}`;
    default:
      return effect.kind;
  }
}

function exitText(exit: Exit): string {
  switch (exit.kind) {
    case "program":
      return `exit ${exit.ending.exitCode}`;
    case "signal":
      return `exit ${128 + exit.signal}`;
    case "failures":
      return `exit for ${exit.failures.map(({ code }) => code).join(", ")}`;
  }
}

/** A check that failed. */
export function failedCheck(...failures: readonly Failure[]): LifeEvent {
  return { kind: "check ended", outcome: { kind: "failed", failures } };
}

/** A rotation that has ended. */
export function rotated(outcome: RotationOutcome): LifeEvent {
  return { kind: "rotation ended", outcome };
}
