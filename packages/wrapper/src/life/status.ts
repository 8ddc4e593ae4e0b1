import type { CheckState, ShownCheck } from "../health/check-state.ts";
import type { Readiness } from "../health/readiness.ts";
import type { SecretNames } from "../health/secret-names.ts";
import type { MeasuredProtection, SecretVersion, WrapperFacts } from "../health/wrapper-facts.ts";
import { completedRotations } from "./counts.ts";
import type { HeldVersion } from "./held-versions.ts";
import { firstExpiryMs } from "./knowledge.ts";
import type { Life, Phase } from "./life.ts";
import type { HeldTokenLife } from "./renewal-time.ts";

/** Facts that readiness depends on beside the life itself. */
export interface ReadinessContext {
  /** The time of performance.now. */
  readonly nowMs: number;
  /** False for SVC_ROTATION=none: nothing is ever checked, and nothing is stale. */
  readonly checks: boolean;
  readonly staleAfterMs: number;
  /** How secrets are called. */
  readonly names: SecretNames;
  /** Undefined before a program was measured. */
  readonly protection: MeasuredProtection | undefined;
}

/** Facts that the metrics depend on beside the life itself. */
export interface FactsContext extends ReadinessContext {
  /** True if the operator is asked for hints. */
  readonly hasHints: boolean;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** The wall clock at `nowMs`; milliseconds since the epoch. */
  readonly wallMs: number;
  readonly token: HeldTokenLife | undefined;
}

/** An outage of the vault passes. A machine that has no room for a check seldom finds some. */
const MAX_UNSTARTED = 3;

/** Secrets whose versions are shown, those that the settings name first. */
export const MAX_SECRETS_SHOWN = 32;

/** The answer for probes. Pure. */
export function readinessOf(life: Life, context: ReadinessContext): Readiness {
  return { ...statusOf(life, context), ...shownSecrets(life, context.names), ...shownAgent(life) };
}

/** All that the page of checks shows beside their state. Pure. */
export function shownBeside(
  life: Life,
  context: ReadinessContext,
): Omit<ShownCheck, keyof CheckState> {
  const { delivery } = life.counts;
  return {
    readiness: statusOf(life, context),
    ...(delivery !== undefined && { delivery }),
    ...shownSecrets(life, context.names),
    ...shownAgent(life),
  };
}

/** The kernel agent as the health port shows it: no member if none is asked for. Pure. */
export function shownAgent({ counts: { agent } }: Life): Pick<Readiness, "agent"> {
  if (agent === undefined) return {};
  const { connected, reason } = agent;
  return { agent: { connected, ...(reason !== undefined && { reason }) } };
}

/** The versions that the health port shows: no member if the program has none. Pure. */
export function shownSecrets(life: Life, names: SecretNames): Pick<Readiness, "secrets"> {
  const secrets = secretsOf(life, names).map(({ sinceMs, ...secret }) => ({
    ...secret,
    since: new Date(sinceMs).toISOString(),
  }));
  return secrets.length > 0 ? { secrets } : {};
}

/** The versions of the program that runs, under the names that others see. Pure. */
export function secretsOf(life: Life, names: SecretNames): readonly SecretVersion[] {
  return versionsOf(life).map(({ path, pinned, version, sinceMs }) => ({
    path: names({ path, ...(pinned && { version }) }),
    version,
    sinceMs,
  }));
}

/** The versions of the program that runs; none while there is no program. */
function versionsOf({ applicationRuns, stage, versions }: Life): readonly HeldVersion[] {
  const isReplaced =
    stage.kind === "running" &&
    stage.activity.kind === "rotating" &&
    stage.activity.ending !== undefined;
  return applicationRuns && !isReplaced ? versions.slice(0, MAX_SECRETS_SHOWN) : [];
}

function statusOf(life: Life, context: ReadinessContext): Readiness {
  const { phase, counts } = life;
  if (phase.kind !== "running") return unready(phase);
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

/** The failure that keeps the secrets from being fetched, or checked, now. */
function troubleOf({ phase, stage }: Life): Pick<WrapperFacts, "trouble"> {
  const code = phase.kind === "running" ? undefined : phase.code;
  const ofChecks = stage.kind === "running" ? stage.checks.lastFailure?.code : undefined;
  const trouble = code ?? ofChecks;
  return trouble === undefined ? {} : { trouble };
}

function waitsForPermit({ stage }: Life): boolean {
  return stage.kind === "running" && ["waiting", "unanswered"].includes(stage.permit.kind);
}

/** Why the program takes no requests; undefined if it runs and is not about to be replaced. Pure. */
export function unservingOf({ phase }: Life): Readiness | undefined {
  return phase.kind === "running" ? undefined : unready(phase);
}

function unready({ kind, ...words }: Exclude<Phase, { readonly kind: "running" }>): Readiness {
  return { status: kind, ...words };
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
  if (statusOf(life, context).status !== "ready") return undefined;
  if (!context.checks || knowledge === undefined) return undefined;
  const { nowMs, staleAfterMs } = context;
  return Math.min(firstExpiryMs(knowledge), knowledge.checkedAtMs + staleAfterMs) - nowMs;
}

/** The facts for Prometheus; no value and no token is among them. Pure. */
export function factsOf(life: Life, context: FactsContext): WrapperFacts {
  const { counts, knowledge, phase, applicationRuns, freshUntilMs } = life;
  const { nowMs, wallMs, token, protection, checks, version, startedAtMs, names } = context;
  const { hasHints } = context;
  // Intervals are measured on a clock that is never set; people and Prometheus read the other one.
  const onWallClock = (monotonicMs: number): number => wallMs + (monotonicMs - nowMs);
  const hasEnd = token !== undefined && token.expiresAtMs !== Number.POSITIVE_INFINITY;
  return {
    ...counts,
    ...{ version, startedAtMs, nowMs: wallMs },
    status: statusOf(life, context).status,
    sealed: phase.kind === "running" ? phase.sealed === true : phase.kind === "sealed",
    ...(hasHints && { isFresh: nowMs < freshUntilMs }),
    ...troubleOf(life),
    rotationWaits: waitsForPermit(life),
    applicationRunning: applicationRuns,
    ...(hasEnd && { tokenExpiresAtMs: onWallClock(token.expiresAtMs) }),
    leases: (knowledge?.leases ?? []).map(({ path, expiresAtMs }) => ({
      path: names({ path }),
      expiresAtMs: onWallClock(expiresAtMs),
    })),
    secrets: secretsOf(life, names),
    ...(protection !== undefined && { protection }),
    ...(knowledge !== undefined &&
      checks && { secretsCheckedAtMs: onWallClock(knowledge.checkedAtMs) }),
  };
}
