import { version } from "@svc/protocol";
import type { AgentState } from "../agent/agent-link.ts";
import type { Readiness, UnreadyStatus } from "../health/readiness.ts";
import { freshFacts, type UnsealAttempt, type WrapperFacts } from "../health/wrapper-facts.ts";
import type { ProtectionMeter } from "../protection/protection-meter.ts";
import type { HeldTokenLife } from "../supervisor/session-holder.ts";
import { firstExpiryMs, type Knowledge } from "./knowledge.ts";

/** What the wrapper is doing. */
export type Phase =
  /** `sealed` where the token has died since. */
  | { readonly kind: "running"; readonly sealed?: true }
  | { readonly kind: Exclude<UnreadyStatus, "stale">; readonly reason: string };

export interface StatusOptions {
  /** SVC_ROTATION=none: nothing is ever checked, and nothing is stale. */
  readonly checks: boolean;
  readonly staleAfterMs: number;
  /** Called for every phase that is entered. */
  readonly onEnter?: (phase: Phase) => void;
}

/** What there is to say to probes and to Prometheus. It holds no value and no token. */
export class Status {
  readonly #options: StatusOptions;
  #counts = freshFacts(version, Date.now());
  #phase: Phase = { kind: "starting", reason: "the secrets are being fetched" };
  knowledge: Knowledge | undefined;
  token: () => HeldTokenLife | undefined = () => undefined;
  applicationRunning = false;
  /** Undefined before a program was measured. */
  protection: ProtectionMeter | undefined;

  constructor(options: StatusOptions) {
    this.#options = options;
  }

  enter(phase: Phase): void {
    this.#phase = phase;
    this.#options.onEnter?.(phase);
  }

  /** Changes counts and facts; the current ones are handed in. */
  note(change: (facts: WrapperFacts) => Partial<WrapperFacts>): void {
    this.#counts = { ...this.#counts, ...change(this.#counts) };
  }

  /** Whether the program that runs is not the first one, or has not its first values. */
  get hasRestarted(): boolean {
    const { applicationRestarts, rotations } = this.#counts;
    const { rotation, crash } = applicationRestarts;
    return rotation + crash + rotations.sighup.completed > 0;
  }

  /** Notes how the program got its values. */
  noteDelivery(delivery: NonNullable<WrapperFacts["delivery"]>): void {
    this.note(() => ({ delivery }));
  }

  /** Counts a program that was started and has plain values. */
  noteUnprotected(): void {
    this.note(({ unprotectedPrograms }) => ({ unprotectedPrograms: unprotectedPrograms + 1 }));
    this.protection?.say();
  }

  /** What the kernel agent does about attempts on the program. */
  noteAgent(state: AgentState): void {
    const tier = state.kind === "connected" ? state.tier : undefined;
    this.note(() => ({
      agent: tier === undefined ? { connected: false } : { connected: true, tier },
    }));
    this.protection?.say();
  }

  noteUnseal(attempt: UnsealAttempt): void {
    this.note(({ unsealAttempts }) => ({
      unsealAttempts: { ...unsealAttempts, [attempt]: unsealAttempts[attempt] + 1 },
    }));
  }

  readiness(): Readiness {
    if (this.#phase.kind !== "running") {
      return { status: this.#phase.kind, reason: this.#phase.reason };
    }
    const stale = this.#staleness(performance.now());
    const { sealed } = this.#phase;
    if (stale !== undefined) {
      return sealed === true
        ? { status: "sealed", reason: `POST /v1/unseal has to bring a token: ${stale}` }
        : { status: "stale", reason: stale };
    }
    const { rotations, applicationRestarts } = this.#counts;
    return {
      status: "ready",
      ...(sealed === true && { sealed }),
      rotations: rotations.restart.completed + rotations.sighup.completed,
      applicationRestarts: applicationRestarts.rotation + applicationRestarts.crash,
      ...(this.protection !== undefined && { protectionScore: this.protection.result.score }),
    };
  }

  facts(): WrapperFacts {
    const token = this.token();
    const { knowledge, applicationRunning } = this;
    return {
      ...this.#counts,
      nowMs: Date.now(),
      status: this.readiness().status,
      sealed: this.#isSealed,
      applicationRunning,
      ...(token === undefined || token.expiresAtMs === Number.POSITIVE_INFINITY
        ? {}
        : { tokenExpiresAtMs: onWallClock(token.expiresAtMs) }),
      leases: (knowledge?.leases ?? []).map(({ path, expiresAtMs }) => ({
        path,
        expiresAtMs: onWallClock(expiresAtMs),
      })),
      ...(this.protection === undefined ? {} : { protection: this.protection.result }),
      ...(knowledge === undefined || !this.#options.checks
        ? {}
        : { secretsCheckedAtMs: onWallClock(knowledge.checkedAtMs) }),
    };
  }

  get #isSealed(): boolean {
    return this.#phase.kind === "running"
      ? this.#phase.sealed === true
      : this.#phase.kind === "sealed";
  }

  #staleness(nowMs: number): string | undefined {
    const { checks, staleAfterMs } = this.#options;
    if (!checks || this.knowledge === undefined) return undefined;
    if (firstExpiryMs(this.knowledge) <= nowMs) return "the lease of a secret has expired";
    const ageMs = nowMs - this.knowledge.checkedAtMs;
    if (ageMs <= staleAfterMs) return undefined;
    return `the secrets could not be checked for ${Math.round(ageMs / 1000)} s`;
  }
}

/** Intervals are measured on a clock that nobody sets; people and Prometheus read the other one. */
function onWallClock(monotonicMs: number): number {
  return Date.now() + (monotonicMs - performance.now());
}
