import type { DeliveryMethod, RotationWay } from "@svc/settings";
import type { EnforcementTier } from "../agent/agent-messages.ts";
import type { Readiness, ShownAgent } from "./readiness.ts";

/** Protections that are measured, and make the protection score. */
export const protections = [
  "memfd_secret",
  "mlock",
  "core_dumps",
  "dumpable",
  "token",
  "environ",
  "delivery",
  "agent",
  "enforcement",
  "cpu",
] as const;

export type Protection = (typeof protections)[number];

/** How often each of several outcomes came about since the wrapper's start. */
export type Tally<Outcome extends string> = Readonly<Record<Outcome, number>>;

/** Counts since the start, and the last news of the delivery and the agent. */
export interface WrapperCounts {
  /**
   * Renewals of the token and of leases. `refused`: the vault refused; `failed`: it did not answer.
   */
  readonly renewals: Tally<"renewed" | "refused" | "failed">;
  /** Those that brought a token. */
  readonly logins: number;
  readonly checks: Tally<"unchanged" | "changed" | "failed">;
  /** Hints of the operator. */
  readonly hints: Tally<"fresh" | "changed" | "refused">;
  readonly rotations: Readonly<Record<RotationWay, Tally<"completed" | "failed">>>;
  readonly applicationRestarts: Tally<"rotation" | "crash">;
  /** Programs that the application has started, and that have plain values. */
  readonly unprotectedPrograms: number;
  readonly unsealAttempts: Tally<UnsealAttempt>;
  readonly delivery?: {
    readonly method: DeliveryMethod;
    readonly memory: "memfd_secret" | "memfd";
  };
  /** Undefined if no agent is asked for. */
  readonly agent?: ShownAgent & { readonly tier?: EnforcementTier };
}

/** Everything that the metrics are made from. It holds no value and no token. */
export interface WrapperFacts extends WrapperCounts {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number;
  /** Milliseconds since the epoch, by which ages and times to expiry are counted. */
  readonly nowMs: number;
  readonly status: Readiness["status"];
  /** The code of the failure that keeps the secrets from being fetched or checked now. */
  readonly trouble?: string;
  /** True while a token is waited for, also if the application runs and is ready. */
  readonly sealed: boolean;
  /** Whether hints say that the secrets are the newest; undefined if they are not asked for. */
  readonly isFresh?: boolean;
  /** True while a rotation waits for a permit. */
  readonly rotationWaits: boolean;
  readonly applicationRunning: boolean;
  /** Milliseconds since the epoch; undefined if the token has no end, or there is none. */
  readonly tokenExpiresAtMs?: number;
  readonly leases: readonly { readonly path: string; readonly expiresAtMs: number }[];
  /** The versions that the program has. */
  readonly secrets: readonly SecretVersion[];
  /** When the values were last known to be the current ones; milliseconds since the epoch. */
  readonly secretsCheckedAtMs?: number;
  /** Undefined before it was measured. */
  readonly protection?: MeasuredProtection;
}

/** A version that the program has. */
export interface SecretVersion {
  /** The path, or another name of the secret. */
  readonly path: string;
  readonly version: number;
  /** Since when; milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** How well the program is protected. */
export interface MeasuredProtection {
  /** 0 to 100. */
  readonly score: number;
  readonly items: readonly {
    readonly protection: Protection;
    readonly points: number;
    readonly most: number;
  }[];
}

/** How a POST /v1/unseal ended. */
export type UnsealAttempt =
  | "accepted"
  | "refused"
  | "unavailable"
  | "malformed"
  | "unverified"
  | "throttled";

/** The counts of a wrapper that has just started. */
export const noCounts: WrapperCounts = {
  renewals: { renewed: 0, refused: 0, failed: 0 },
  logins: 0,
  checks: { unchanged: 0, changed: 0, failed: 0 },
  hints: { fresh: 0, changed: 0, refused: 0 },
  rotations: { restart: { completed: 0, failed: 0 }, sighup: { completed: 0, failed: 0 } },
  applicationRestarts: { rotation: 0, crash: 0 },
  unprotectedPrograms: 0,
  unsealAttempts: {
    ...{ accepted: 0, refused: 0, unavailable: 0 },
    ...{ malformed: 0, unverified: 0, throttled: 0 },
  },
};
