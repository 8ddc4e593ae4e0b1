import type { KubernetesApi } from "@svc/kubernetes";
import { type Log, pause } from "@svc/logging";
import {
  HINT_SUBSCRIPTION_PATH,
  type HintSubscription,
  type HintSubscriptionAnswer,
} from "@svc/protocol";
import type { HintFacts, OperatorMetrics } from "../admission/operator-metrics.ts";
import type { HintSettings } from "../flags/hint-flags.ts";
import { busyBudget } from "../hints/busy-budget.ts";
import { hintDesk } from "../hints/hint-desk.ts";
import { HintHub } from "../hints/hint-hub.ts";
import { hintVault } from "../hints/hint-vault.ts";
import { hintedPods } from "../hints/hinted-pod.ts";
import { LookKeeper } from "../hints/keep-looks.ts";
import { MOST_SUBSCRIPTION_BYTES, parseSubscription } from "../hints/parse-subscription.ts";
import { hintSender } from "../hints/send-hint.ts";
import { SubscriptionBook } from "../hints/subscription-book.ts";
import { vaultAccess } from "../hints/vault-access.ts";
import { vaultAway } from "../hints/vault-away.ts";
import type { PodIdentifier } from "../rotation/identify-pod.ts";
import { wrapperEndpoint } from "../rotation/wrapper-endpoint.ts";

/** The version hints of a replica. */
export interface Hints {
  /** Answers subscriptions of the pods that it proves. */
  readonly endpoint: (identify: PodIdentifier) => (request: Request) => Promise<Response>;
  readonly facts: () => HintFacts;
  /** Sends hints until the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** The inputs of hints. */
export interface HintParts {
  readonly api: Pick<KubernetesApi, "ask">;
  readonly metrics: Pick<OperatorMetrics, "hintSubscriptionAnswered" | "hinted" | "looked">;
  readonly log: Log;
}

const TICK_MS = 100;
const nowMs = (): number => performance.now();

/** Makes the hints that the flags ask for; undefined if they ask for none. */
export function openHints(
  settings: HintSettings | undefined,
  { api, metrics, log }: HintParts,
): Hints | undefined {
  if (settings === undefined) return undefined;
  const ended = new AbortController();
  const { client, tokens } = vaultAccess(settings, ended.signal);
  const vault = hintVault(client, tokens);
  const book = new SubscriptionBook((mount) => looks.watch(mount));
  const send = hintSender(ended.signal);
  const hub = new HintHub({ book, send, count: metrics.hinted, nowMs, dateMs: Date.now });
  const looks = new LookKeeper(
    {
      ...{ vault, budget: busyBudget(), away: vaultAway(), log, nowMs, pause },
      count: metrics.looked,
      onNews: (paths) => hub.looked(paths),
    },
    ended.signal,
  );
  const { address, namespace } = settings;
  const find = hintedPods(api);
  const desk = hintDesk({
    ...{ vault: { address, namespace }, find, book, hub, nowMs, random: Math.random },
  });
  return {
    endpoint: (identify) =>
      wrapperEndpoint<HintSubscription, HintSubscriptionAnswer>({
        path: HINT_SUBSCRIPTION_PATH,
        mostBytes: MOST_SUBSCRIPTION_BYTES,
        parse: parseSubscription,
        answer: desk,
        count: (answer) => metrics.hintSubscriptionAnswered(answer?.decision ?? "refused"),
        doing: "subscribes to version hints",
        ...{ identify, log },
      }),
    facts: () => ({
      subscribers: book.size,
      paths: book.paths,
      lookedSeconds: looks.foundMs === undefined ? undefined : (nowMs() - looks.foundMs) / 1000,
    }),
    run: async (signal) => {
      while (!signal.aborted) {
        hub.tick();
        await pause(TICK_MS, signal);
      }
      ended.abort();
      await looks.ended();
      await tokens.end();
      book.clear();
    },
  };
}
