import { type HintNews, hintText } from "@svc/protocol";
import { hmacSha256 } from "@svc/secret-bytes";
import type { HintOutcome } from "../admission/hint-outcomes.ts";
import type { HintAnswer } from "./hint-answer.ts";
import {
  againAfterMs,
  heartbeatPeriodMs,
  retryAfterMs,
  SUBSCRIPTION_LIFE_MS,
  validForMs,
} from "./hint-pace.ts";
import { newsOf } from "./news-of.ts";
import type { SendHint } from "./send-hint.ts";
import { knownSecret, type Subscription, type WatchedPath } from "./subscription.ts";
import type { SubscriptionBook } from "./subscription-book.ts";
import { timetable } from "./timetable.ts";

/** The parts of a hub. */
export interface HubParts {
  readonly book: SubscriptionBook;
  readonly send: SendHint;
  readonly count: (news: HintNews, outcome: HintOutcome) => void;
  /** As `performance.now`. */
  readonly nowMs: () => number;
  /** As `Date.now`. */
  readonly dateMs: () => number;
}

/** Hints that are under way at one time, without those that take long. */
const MOST_AT_ONCE = 64;
/** Nodes may be cut off: a pod that has not answered by then keeps no other one waiting. */
const SLOW_MS = 150;
const MOST_SLOW = 1024;
/** Hints to pods that have not answered the last one. */
const MOST_DOUBTFUL = 64;
/** A subscriber hears of one change in this time at the most. */
const COALESCED_MS = 1000;
/** The wrapper has its answer by then. */
const AFTER_ANSWER_MS = 250;
const LATER_MS = 5000;

/** Tells subscribers whether the versions that they know are the newest. */
export class HintHub {
  readonly #parts: HubParts;
  readonly #times = timetable();
  #queue: Subscription[] = [];
  /** Those before it have had their turn. */
  #head = 0;
  #sending = 0;
  #slow = 0;
  #doubtful = 0;
  /** The next one for a heartbeat, and how much of one is due. */
  #cursor = 0;
  #owed = 0;
  #tickedMs: number;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#tickedMs = parts.nowMs();
  }

  /** A wrapper has subscribed, and is about to get its answer. */
  subscribed(subscription: Subscription): void {
    this.#times.put(subscription, this.#parts.nowMs() + AFTER_ANSWER_MS);
  }

  /** A look has found something else, or something that a subscriber waits for. */
  looked(paths: readonly WatchedPath[]): void {
    for (const path of paths) {
      for (const subscription of path.subscribers) {
        // The others know it already.
        const isNews = knownSecret(subscription, path)?.baseline !== path.generation;
        if (isNews) this.#enqueue(subscription);
      }
    }
    this.#pump();
  }

  /** Called several times a second: heartbeats are spread over their period. */
  tick(): void {
    const nowMs = this.#parts.nowMs();
    for (const subscription of this.#times.due(nowMs)) this.#enqueue(subscription);
    const { book } = this.#parts;
    const periodMs = heartbeatPeriodMs(book.size);
    this.#owed += (book.size * (nowMs - this.#tickedMs)) / periodMs;
    this.#tickedMs = nowMs;
    this.#owed = Math.min(this.#owed, book.size);
    for (; this.#owed >= 1 && book.size > 0; this.#owed -= 1) this.#beat(nowMs, periodMs);
    this.#pump();
  }

  #beat(nowMs: number, periodMs: number): void {
    const { book } = this.#parts;
    if (this.#cursor >= book.size) this.#cursor = 0;
    const subscription = book.at(this.#cursor);
    if (subscription === undefined) return;
    if (nowMs - subscription.renewedMs > SUBSCRIPTION_LIFE_MS) {
      // Another one is in its place now.
      book.drop(subscription);
      return;
    }
    this.#cursor += 1;
    if (nowMs - subscription.sentMs >= periodMs / 2) this.#enqueue(subscription);
  }

  #enqueue(subscription: Subscription): void {
    if (subscription.isQueued || subscription.index === -1) return;
    subscription.isQueued = true;
    this.#queue.push(subscription);
  }

  #pump(): void {
    while (this.#sending < MOST_AT_ONCE && this.#slow < MOST_SLOW) {
      const subscription = this.#queue[this.#head];
      if (subscription === undefined) break;
      this.#head += 1;
      subscription.isQueued = false;
      this.#consider(subscription);
    }
    if (this.#head * 2 < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }

  #consider(subscription: Subscription): void {
    if (subscription.index === -1) return;
    const nowMs = this.#parts.nowMs();
    const { quietUntilMs } = subscription;
    if (subscription.isSending || nowMs < quietUntilMs) {
      this.#times.put(subscription, Math.max(quietUntilMs, nowMs + COALESCED_MS / 2));
      return;
    }
    if (subscription.failures > 0 && this.#doubtful >= MOST_DOUBTFUL) {
      this.#times.put(subscription, nowMs + COALESCED_MS);
      return;
    }
    const news = newsOf(subscription, nowMs);
    if (news !== "changed") subscription.toldChanged = 0;
    if (news !== undefined) void this.#say(subscription, news, nowMs);
  }

  async #say(subscription: Subscription, news: HintNews, nowMs: number): Promise<void> {
    const { book, send, count } = this.#parts;
    subscription.isSending = true;
    subscription.sentMs = nowMs;
    if (news === "changed") subscription.quietUntilMs = nowMs + COALESCED_MS;
    if (news === "changed") {
      subscription.toldChanged += 1;
      const againMs = againAfterMs(subscription.toldChanged);
      if (againMs !== undefined) this.#times.put(subscription, nowMs + againMs);
    }
    const end = this.#begin(subscription.failures > 0);
    const answer = await send(subscription, this.#header(subscription, news));
    end();
    count(news, answer.outcome);
    subscription.isSending = false;
    if (subscription.index !== -1) this.#heard(subscription, news, answer);
    if (book.size > 0) this.#pump();
  }

  /** Takes a place for a hint, and gives the function that gives it back. */
  #begin(isDoubtful: boolean): () => void {
    let isSlow = false;
    this.#sending += 1;
    this.#doubtful += Number(isDoubtful);
    const timer = setTimeout(() => {
      isSlow = true;
      this.#sending -= 1;
      this.#slow += 1;
      this.#pump();
    }, SLOW_MS);
    return () => {
      clearTimeout(timer);
      if (isSlow) this.#slow -= 1;
      else this.#sending -= 1;
      this.#doubtful -= Number(isDoubtful);
    };
  }

  #header(subscription: Subscription, news: HintNews): string {
    const { book, dateMs } = this.#parts;
    const sequence = Math.max(dateMs(), subscription.sequence + 1);
    subscription.sequence = sequence;
    const validMs = news === "fresh" ? validForMs(book.size) : 0;
    const text = hintText({ sequence, news, validMs });
    return `${text} ${hmacSha256(book.keyOf(subscription), [text])}`;
  }

  #heard(subscription: Subscription, news: HintNews, answer: HintAnswer): void {
    const { book, nowMs } = this.#parts;
    const { outcome, retryAfterMs: wantedMs } = answer;
    if (outcome === "taken") {
      subscription.failures = 0;
      subscription.knowsOfChange ||= news === "changed";
      return;
    }
    if (outcome === "later") {
      subscription.quietUntilMs = nowMs() + (wantedMs ?? LATER_MS);
      this.#times.put(subscription, subscription.quietUntilMs);
      return;
    }
    subscription.failures += 1;
    const againMs = outcome === "over" ? undefined : retryAfterMs(subscription.failures);
    if (againMs === undefined) book.drop(subscription);
    else this.#times.put(subscription, nowMs() + againMs);
  }
}
