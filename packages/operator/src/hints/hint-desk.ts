import type { HintSubscription, HintSubscriptionAnswer } from "@svc/protocol";
import type { ProvenPod } from "../rotation/identify-pod.ts";
import type { HintHub } from "./hint-hub.ts";
import type { FindHintedPod } from "./hinted-pod.ts";
import type { Subscription } from "./subscription.ts";
import type { SubscriptionBook } from "./subscription-book.ts";
import { isSameVault, type VaultPlace, vaultText } from "./vault-place.ts";

/** Takes the subscriptions of proven pods. @throws KubernetesError */
export type HintDesk = (
  pod: ProvenPod,
  wanted: Omit<HintSubscription, "token">,
) => Promise<HintSubscriptionAnswer>;

/** The parts of a desk. */
export interface DeskParts {
  /** The vault that the operator looks at. */
  readonly vault: VaultPlace;
  readonly find: FindHintedPod;
  readonly book: SubscriptionBook;
  readonly hub: Pick<HintHub, "subscribed">;
  /** As `performance.now`. */
  readonly nowMs: () => number;
  /** As Math.random. */
  readonly random: () => number;
}

const RENEW_MS = 600_000;
/** The share of it that is random, so that renewals spread. */
const JITTER = 0.4;
const OTHER_VAULT_MS = 600_000;
const FULL_MS = 60_000;
/** A pod that took a hint so lately is still at its address. */
const REACHED_MS = 600_000;
/** The share of renewals that ask for it all the same: one in an hour. */
const ASKED = 1 / 6;

/** Makes the desk of a replica. */
export function hintDesk({ vault, find, book, hub, nowMs, random }: DeskParts): HintDesk {
  return async ({ namespace, name, uid }, wanted) => {
    if (!isSameVault(wanted.vault, vault)) {
      const reason = `the wrapper reads from ${vaultText(wanted.vault)}, and the operator looks at ${vaultText(vault)}`;
      return { decision: "refused", reason, retryAfterMs: OTHER_VAULT_MS };
    }
    const { port, tls, key, secrets } = wanted;
    const known = random() < ASKED ? undefined : placeKnown(book.find(uid, port), nowMs());
    const pod = known ?? (await find({ namespace, name, uid }));
    if (pod.kind === "none") {
      return { decision: "refused", reason: pod.reason, retryAfterMs: pod.retryAfterMs };
    }
    const { address } = pod;
    const put = book.put({ uid, address, port, tls, key, secrets }, nowMs());
    if (typeof put === "string") {
      return { decision: "refused", reason: put, retryAfterMs: FULL_MS };
    }
    hub.subscribed(put);
    const renewAfterMs = Math.round(RENEW_MS * (1 - JITTER / 2 + JITTER * random()));
    return { decision: "subscribed", renewAfterMs };
  };
}

/** The address of a renewal: most of them need no request to the API server for it. */
function placeKnown(before: Subscription | undefined, nowMs: number) {
  if (before === undefined || before.failures > 0 || before.isSending) return undefined;
  const { address, sentMs } = before;
  return nowMs - sentMs < REACHED_MS ? ({ kind: "pod", address } as const) : undefined;
}
