import { type Log, pause } from "@svc/logging";
import type { Spool } from "../spool/spool.ts";
import type { Contents } from "./encode-logs.ts";
import type { PlatformAnswer } from "./platform-answer.ts";
import type { PlatformClient, SendOutcome } from "./send-outcome.ts";

/** The inputs of a delivery. */
export interface DeliveryOptions {
  readonly spool: Spool;
  /**
   * Makes a client, again after each failure: certificates and headers may be others by then. It
   * may throw.
   */
  readonly connect: () => PlatformClient;
  readonly encode: (contents: Contents) => { readonly body: Uint8Array; readonly count: number };
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called before a long pause, in which the code and the memory of a request are not needed. */
  readonly onLongPause?: () => void;
  /** Between 0 and 1; by default Math.random. */
  readonly random?: () => number;
}

/** The counts of delivered and lost records. */
export interface DeliveryCounts {
  readonly delivered: number;
  /** Records that the platform never takes. */
  readonly rejected: number;
  readonly failedRequests: number;
  /** True from an answer on until a request fails. */
  readonly isReachable: boolean;
}

/** Sends the records of a spool until it is ended. */
export interface Delivery {
  /** There is something new in the spool. */
  readonly wake: () => void;
  readonly counts: () => DeliveryCounts;
  /** Resolved after its signal, when nothing is under way any more. */
  readonly ended: Promise<void>;
}

const MOST_RECORDS = 512;
const MOST_BYTES = 1024 * 1024;
/**
 * Refused for good, one after the other: then it is not the records, and giving up must not go on
 * at the pace of a network.
 */
const MOST_REFUSED_AT_ONCE = 3;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
const LONG_PAUSE_MS = 2_000;

/**
 * Delivers the spool's records, the oldest first, at least once each: they are acknowledged when
 * the platform has answered. A request that it refuses for good is halved until the refused part is
 * one record, which is given up and counted. A platform that refuses every record is asked less and
 * less often: a proxy in front of it may answer 400 to everything for a while.
 */
export function deliverSpool(options: DeliveryOptions): Delivery {
  const state: State = {
    ...{ delivered: 0, rejected: 0, failedRequests: 0, isReachable: false },
    ...{
      most: MOST_RECORDS,
      failures: 0,
      reason: "",
      strangeType: "",
      refusals: 0,
      client: undefined,
      news: Promise.withResolvers(),
    },
  };
  return {
    wake: () => state.news.resolve(),
    counts: () => {
      const { delivered, rejected, failedRequests, isReachable } = state;
      return { delivered, rejected, failedRequests, isReachable };
    },
    ended: run(options, state),
  };
}

interface State {
  delivered: number;
  rejected: number;
  failedRequests: number;
  isReachable: boolean;
  /** The most records in one request. */
  most: number;
  /** In a row. */
  failures: number;
  /** The reason of the last failure. */
  reason: string;
  /** The type of the last answer that was not one of OTLP. */
  strangeType: string;
  /** Records that were given up since one was taken. */
  refusals: number;
  client: PlatformClient | undefined;
  news: PromiseWithResolvers<void>;
}

async function run(options: DeliveryOptions, state: State): Promise<void> {
  const { spool, signal } = options;
  signal.addEventListener("abort", () => state.news.resolve(), { once: true });
  while (!signal.aborted) {
    state.news = Promise.withResolvers();
    const batch = spool.peek({ records: state.most, bytes: MOST_BYTES });
    if (batch.contents.length === 0) {
      // It does not wait for records that the disk has lost between two others.
      spool.ack(batch);
      await state.news.promise;
      continue;
    }
    const outcome = await send(options, state, batch.contents);
    if (signal.aborted && outcome.kind !== "taken") break;
    await settle(options, state, { batch, outcome });
  }
  state.client?.close();
}

async function send(
  { connect, encode, signal }: DeliveryOptions,
  state: State,
  contents: Contents,
): Promise<SendOutcome> {
  const { body, count } = encode(contents);
  if (count === 0) return { kind: "taken", rejected: contents.length, message: "no records" };
  try {
    state.client ??= connect();
  } catch (error) {
    return { kind: "later", reason: error instanceof Error ? error.message : "it failed" };
  }
  return state.client.send(body, signal);
}

interface Settlement {
  readonly batch: { readonly contents: Contents; readonly next: number };
  readonly outcome: SendOutcome;
}

async function settle(
  options: DeliveryOptions,
  state: State,
  { batch, outcome }: Settlement,
): Promise<void> {
  const { random = Math.random } = options;
  const count = batch.contents.length;
  switch (outcome.kind) {
    case "taken":
      options.spool.ack(batch);
      noteTaken(options, state, { count, ...outcome });
      return;
    case "never":
      if (count > 1) {
        state.most = Math.ceil(count / 2);
        return;
      }
      options.spool.ack(batch);
      noteRefused(options, state, outcome);
      if (state.refusals > MOST_REFUSED_AT_ONCE) {
        await wait(options, pauseAfter(state.refusals, random));
      }
      return;
    case "later":
      noteFailure(options, state, outcome);
      await wait(options, outcome.afterMs ?? pauseAfter(state.failures, random));
  }
}

async function wait({ signal, onLongPause }: DeliveryOptions, ms: number): Promise<void> {
  if (ms < LONG_PAUSE_MS) return pause(ms, signal);
  // The connection ends a moment later.
  await pause(LONG_PAUSE_MS / 2, signal);
  if (!signal.aborted) onLongPause?.();
  await pause(ms - LONG_PAUSE_MS / 2, signal);
}

type Refusal = Exclude<SendOutcome, { readonly kind: "taken" }>;

/** Once for some in a row, and once if that goes on. */
function noteRefused({ log }: DeliveryOptions, state: State, { reason, answer }: Refusal): void {
  state.rejected += 1;
  state.refusals += 1;
  if (state.refusals <= MOST_REFUSED_AT_ONCE) {
    log("error", "the platform never takes an event: it is given up", { reason, ...answer });
  } else if (state.refusals === MOST_REFUSED_AT_ONCE + 1) {
    log("error", "the platform refuses every event: they are given up, less and less often", {
      ...{ reason, ...answer },
    });
  }
}

interface Taken {
  readonly count: number;
  readonly rejected: number;
  readonly message: string;
  readonly answer?: PlatformAnswer;
}

/** A platform that takes events and answers in a language of another protocol: once for each type. */
function noteStrange(log: Log, state: State, answer: PlatformAnswer | undefined): void {
  if (answer === undefined || answer.contentType === state.strangeType) return;
  state.strangeType = answer.contentType;
  log("warn", "the platform takes events, and its answer is not one of OTLP", { ...answer });
}

function noteTaken(
  { log }: DeliveryOptions,
  state: State,
  { count, rejected, message, answer }: Taken,
): void {
  noteStrange(log, state, answer);
  if (state.failures > 0) log("info", "the platform takes events again", {});
  if (rejected > 0) {
    log("error", "the platform took a request without some of its events", {
      rejected,
      message,
    });
  }
  state.failures = 0;
  state.refusals = 0;
  state.isReachable = true;
  state.delivered += count - rejected;
  state.rejected += rejected;
  state.most = Math.min(MOST_RECORDS, state.most * 2);
}

/** Once when it begins, and whenever its reason is another one. */
function noteFailure({ log }: DeliveryOptions, state: State, { reason, answer }: Refusal): void {
  if (state.failures === 0) {
    log("warn", "the platform does not take events: they wait in the spool", {
      ...{ reason, ...answer },
    });
  } else if (reason !== state.reason) {
    log("warn", "the platform still does not take events, for another reason", {
      ...{ reason, ...answer },
    });
  }
  state.reason = reason;
  state.failures += 1;
  state.failedRequests += 1;
  state.isReachable = false;
  state.client?.close();
  state.client = undefined;
}

/** Exponential back-off with full jitter; never nothing, or many agents would hammer. */
export function pauseAfter(failures: number, random: () => number): number {
  const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 16));
  return FIRST_PAUSE_MS / 2 + random() * (most - FIRST_PAUSE_MS / 2);
}
