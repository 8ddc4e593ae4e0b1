import type { Readiness } from "../health/readiness.ts";
import type { MeasuredProtection, WrapperFacts } from "../health/wrapper-facts.ts";
import { completedRotations } from "./counts.ts";
import { firstExpiryMs } from "./knowledge.ts";
import type { Life } from "./life.ts";
import type { HeldTokenLife } from "./renewal-time.ts";

/** Facts that readiness depends on beside the life itself. */
export interface ReadinessContext {
  /** The time of performance.now. */
  readonly nowMs: number;
  /** False for SVC_ROTATION=none: nothing is ever checked, and nothing is stale. */
  readonly checks: boolean;
  readonly staleAfterMs: number;
  /** Undefined before a program was measured. */
  readonly protection: MeasuredProtection | undefined;
}

/** Facts that the metrics depend on beside the life itself. */
export interface FactsContext extends ReadinessContext {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** The wall clock at `nowMs`; milliseconds since the epoch. */
  readonly wallMs: number;
  readonly token: HeldTokenLife | undefined;
}

/** An outage of the vault passes. A machine that has no room for a check seldom finds some. */
const MAX_UNSTARTED = 3;

/** The answer for probes. Pure. */
export function readinessOf(life: Life, context: ReadinessContext): Readiness {
  const { phase, counts } = life;
  if (phase.kind !== "running") return { status: phase.kind, reason: phase.reason };
  const isSealed = phase.sealed === true;
  const stale = staleness(life, context);
  if (stale !== undefined) {
    return isSealed
      ? { status: "sealed", reason: `POST /v1/unseal has to bring a token: ${stale}` }
      : { status: "stale", reason: stale };
  }
  const { applicationRestarts } = counts;
  const { protection } = context;
  return {
    status: "ready",
    ...(isSealed && { sealed: true as const }),
    rotations: completedRotations(counts),
    applicationRestarts: applicationRestarts.rotation + applicationRestarts.crash,
    ...(protection !== undefined && { protectionScore: protection.score }),
  };
}

function waitsForPermit({ stage }: Life): boolean {
  return stage.kind === "running" && ["waiting", "unanswered"].includes(stage.permit.kind);
}

/** Why the program takes no requests; undefined if it runs and is not about to be replaced. Pure. */
export function unservingOf({ phase }: Life): Readiness | undefined {
  return phase.kind === "running" ? undefined : { status: phase.kind, reason: phase.reason };
}

function staleness(
  { knowledge, stage }: Life,
  { nowMs, checks, staleAfterMs }: ReadinessContext,
): string | undefined {
  if (!checks || knowledge === undefined) return undefined;
  if (stage.kind === "running" && stage.checks.unstarted >= MAX_UNSTARTED) {
    return `the last ${stage.checks.unstarted} checks of the secrets could not be started: see the log`;
  }
  if (firstExpiryMs(knowledge) <= nowMs) return "the lease of a secret has expired";
  const ageMs = nowMs - knowledge.checkedAtMs;
  if (ageMs < staleAfterMs) return undefined;
  return `the secrets could not be checked for ${Math.round(ageMs / 1000)} s`;
}

/**
 * In how many milliseconds `readinessOf` will answer otherwise although no event has come: undefined
 * if time alone changes nothing. Pure.
 */
export function readinessLastsMs(life: Life, context: ReadinessContext): number | undefined {
  const { knowledge } = life;
  if (readinessOf(life, context).status !== "ready") return undefined;
  if (!context.checks || knowledge === undefined) return undefined;
  const { nowMs, staleAfterMs } = context;
  return Math.min(firstExpiryMs(knowledge), knowledge.checkedAtMs + staleAfterMs) - nowMs;
}

/** The facts for Prometheus; no value and no token is among them. Pure. */
export function factsOf(life: Life, context: FactsContext): WrapperFacts {
  const { counts, knowledge, phase, applicationRuns } = life;
  const { nowMs, wallMs, token, protection, checks, version, startedAtMs } = context;
  // Intervals are measured on a clock that is never set; people and Prometheus read the other one.
  const onWallClock = (monotonicMs: number): number => wallMs + (monotonicMs - nowMs);
  const hasEnd = token !== undefined && token.expiresAtMs !== Number.POSITIVE_INFINITY;
  return {
    ...counts,
    ...{ version, startedAtMs, nowMs: wallMs },
    status: readinessOf(life, context).status,
    sealed: phase.kind === "running" ? phase.sealed === true : phase.kind === "sealed",
    rotationWaits: waitsForPermit(life),
    applicationRunning: applicationRuns,
    ...(hasEnd && { tokenExpiresAtMs: onWallClock(token.expiresAtMs) }),
    leases: (knowledge?.leases ?? []).map(({ path, expiresAtMs }) => ({
      path,
      expiresAtMs: onWallClock(expiresAtMs),
    })),
    ...(protection !== undefined && { protection }),
    ...(knowledge !== undefined &&
      checks && { secretsCheckedAtMs: onWallClock(knowledge.checkedAtMs) }),
  };
}
