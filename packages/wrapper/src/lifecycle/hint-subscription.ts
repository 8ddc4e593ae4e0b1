import type { Hint, HintedSecret, HintSubscriptionAnswer } from "@svc/protocol";
import type { Failure } from "../errors.ts";
import { checkBudget } from "../health/check-budget.ts";
import type { TakenHint } from "../health/hint-page.ts";
import type { ReceivedHint } from "../health/received-hint.ts";
import type { HintedSecrets } from "../life/hints.ts";
import type { Logger } from "../log.ts";
import { type HintKey, newHintKey } from "./hint-keys.ts";

/** How a question for a subscription came out. */
export type SubscriptionOutcome =
  | { readonly kind: "answered"; readonly answer: HintSubscriptionAnswer }
  | { readonly kind: "unanswered"; readonly failures: readonly Failure[] };

/** The parts of a subscription. Times are those of performance.now. */
export interface SubscriptionParts {
  readonly log: Logger;
  /** RENEWAL_INTERVAL, and the pause between checks while hints come. */
  readonly intervals: { readonly renewalMs: number; readonly hintedMs: number };
  /** Asks the operator; undefined while there is no port at which it could answer. */
  readonly ask: (
    key: string,
    secrets: readonly HintedSecret[],
  ) => Promise<SubscriptionOutcome> | undefined;
  readonly tell: (hint: ReceivedHint) => void;
  /** Calls back after a while, once; another call takes the place of one before. */
  readonly wake: (ms: number, callback: () => void) => void;
  readonly nowMs: () => number;
  readonly random: () => number;
}

/** Between two questions that got no answer; the longest is doubled up to. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [5000, 600_000];
/** The first hint comes within seconds, if it comes at all. */
const SILENT_MS = 60_000;
/** So often may a hint cause a check by itself: three times at once, and then at this pace. */
const LEAST_PACE_MS = 10_000;

const SILENT =
  "no hint of the operator has come: it does not reach the health port, or cannot look up the secrets";

/**
 * The wrapper's subscription to the operator's hints. It subscribes when the program's versions are
 * others, before the subscription ends, and once hints have stopped.
 */
export class HintSubscription {
  readonly #parts: SubscriptionParts;
  readonly #mayCheck: ReturnType<typeof checkBudget>;
  #secrets: HintedSecrets = { secrets: [], areAll: false };
  #text = "[]";
  #key: HintKey | undefined;
  /** The key of the last question: its first hint may come before the answer. */
  #nextKey: HintKey | undefined;
  #isAsking = false;
  #askAtMs = Number.POSITIVE_INFINITY;
  #freshUntilMs = 0;
  /** When the log says that no hint comes; Infinity once one has come. */
  #silentAtMs = Number.POSITIVE_INFINITY;
  #failures = 0;
  #said: string | undefined;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
    const paceMs = Math.min(parts.intervals.renewalMs, LEAST_PACE_MS);
    this.#mayCheck = checkBudget(paceMs, parts.nowMs);
  }

  /** The program has these secrets, or none while no program runs. */
  follow(secrets: HintedSecrets): void {
    const text = JSON.stringify(secrets);
    if (text === this.#text) return;
    this.#text = text;
    this.#secrets = secrets;
    this.#failures = 0;
    this.#askIn(0);
  }

  /** Takes a hint as it came. */
  take(value: string): TakenHint {
    const hint = this.#verified(value);
    if (hint === undefined) {
      this.#parts.tell({ kind: "refused" });
      return { kind: "unknown" };
    }
    this.#silentAtMs = Number.POSITIVE_INFINITY;
    if (hint.news === "fresh") {
      this.#onFresh(hint.validMs);
      return { kind: "taken" };
    }
    const refusal = this.#mayCheck();
    this.#freshUntilMs = 0;
    this.#parts.tell({ kind: "changed", mayCheck: refusal === undefined });
    return refusal === undefined ? { kind: "taken" } : { kind: "too many", ...refusal };
  }

  /** The first hint of the next key ends the one before. */
  #verified(value: string): Hint | undefined {
    const hint = this.#nextKey?.verify(value);
    if (hint === undefined) return this.#key?.verify(value);
    this.#key = this.#nextKey;
    this.#nextKey = undefined;
    return hint;
  }

  #onFresh(validMs: number): void {
    const { tell, nowMs, intervals, log } = this.#parts;
    if (!this.#secrets.areAll) {
      tell({ kind: "fresh", untilMs: 0 });
      return;
    }
    // A lying operator silences no check for longer.
    const untilMs = nowMs() + Math.min(validMs, intervals.hintedMs);
    this.#freshUntilMs = untilMs;
    const seconds = Math.round(intervals.hintedMs / 1000);
    this.#sayOnce(() =>
      log.info(`the operator says hints: secrets are checked every ${seconds} s while they come`),
    );
    tell({ kind: "fresh", untilMs });
    this.#plan();
  }

  #askIn(ms: number): void {
    this.#askAtMs = this.#parts.nowMs() + ms;
    this.#plan();
  }

  /** Wakes for the next question, or once hints have stopped. */
  #plan(): void {
    const { wake, nowMs } = this.#parts;
    const lapseAtMs = this.#freshUntilMs === 0 ? Number.POSITIVE_INFINITY : this.#freshUntilMs;
    const atMs = Math.min(this.#askAtMs, lapseAtMs, this.#silentAtMs);
    if (atMs !== Number.POSITIVE_INFINITY) wake(Math.max(0, atMs - nowMs()), () => this.#onWake());
  }

  #onWake(): void {
    const { nowMs, random, intervals, log } = this.#parts;
    const now = nowMs();
    if (this.#freshUntilMs !== 0 && this.#freshUntilMs <= now) {
      this.#freshUntilMs = 0;
      const seconds = intervals.renewalMs / 1000;
      log.info(`the operator's hints have stopped: secrets are checked every ${seconds} s`);
      this.#said = undefined;
      // A fleet that has lost them at one moment does not ask at one moment.
      this.#askAtMs = Math.min(this.#askAtMs, now + random() * intervals.renewalMs);
    }
    if (this.#silentAtMs <= now) {
      this.#silentAtMs = Number.POSITIVE_INFINITY;
      this.#sayOnce(() => log.info(SILENT), SILENT);
    }
    if (this.#askAtMs <= now) void this.#ask();
    else this.#plan();
  }

  async #ask(): Promise<void> {
    this.#askAtMs = Number.POSITIVE_INFINITY;
    const { secrets } = this.#secrets;
    if (this.#isAsking || secrets.length === 0) return;
    const key = newHintKey();
    const asking = this.#parts.ask(key.digits, secrets);
    if (asking === undefined) return this.#retry();
    this.#isAsking = true;
    this.#nextKey = key;
    const text = this.#text;
    const outcome = await asking;
    this.#isAsking = false;
    this.#onOutcome(outcome);
    // Other versions have come meanwhile.
    if (text !== this.#text) this.#askIn(0);
  }

  #onOutcome(outcome: SubscriptionOutcome): void {
    const { log } = this.#parts;
    if (outcome.kind === "unanswered") {
      for (const { code, message } of outcome.failures) {
        this.#sayOnce(() => log.info(message, { code }), message);
      }
      this.#retry();
      return;
    }
    const { answer } = outcome;
    this.#failures = 0;
    if (answer.decision === "subscribed") {
      // The first hint may have come before the answer.
      const isFirst = this.#nextKey !== undefined && this.#freshUntilMs === 0;
      if (isFirst) this.#silentAtMs = this.#parts.nowMs() + SILENT_MS;
      this.#askIn(answer.renewAfterMs);
      return;
    }
    const { reason, retryAfterMs } = answer;
    this.#sayOnce(() => log.info(`the operator says no hints: ${reason}`), reason);
    this.#askIn(this.#spread(retryAfterMs));
  }

  #retry(): void {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#askIn(this.#spread(pauseMs));
  }

  /** Half of it is jitter. */
  #spread(ms: number): number {
    return ms * (0.75 + this.#parts.random() / 2);
  }

  #sayOnce(say: () => void, text = "fresh"): void {
    if (this.#said === text) return;
    this.#said = text;
    say();
  }
}
