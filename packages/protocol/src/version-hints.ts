/** The path at which wrappers subscribe to hints of the operator, by POST. */
export const HINT_SUBSCRIPTION_PATH = "/v1/hint-subscriptions";

/** The path of a wrapper's health port at which the operator says hints, by POST. */
export const HINT_PATH = "/v1/hints";

/** The header of a request to HINT_PATH, which has no body: `hintText`, a space, and its MAC. */
export const HINT_HEADER = "svc-hint";

/** The most secrets of one subscription. */
export const MOST_HINTED_SECRETS = 128;

/** A secret of a KV v2 engine, and the version that the wrapper knows. */
export interface HintedSecret {
  /** Its data path, for example `secret/data/shop/db`. */
  readonly path: string;
  readonly version: number;
}

/** The members of a subscription, which is a JSON object. */
export interface HintSubscription {
  /** The service account token of the pod, for the audience PERMIT_AUDIENCE. */
  readonly token: string;
  /** The vault that the wrapper reads from: VAULT_ADDR and VAULT_NAMESPACE. */
  readonly vault: { readonly address: string; readonly namespace?: string | undefined };
  /** The wrapper's health port, and whether it is served by TLS. */
  readonly port: number;
  readonly tls: boolean;
  /** The key of the hints' MACs: 32 random bytes in lower-case hexadecimal digits. */
  readonly key: string;
  readonly secrets: readonly HintedSecret[];
}

/** The answer to a subscription: a JSON object. */
export type HintSubscriptionAnswer =
  /** Hints come from now on. The wrapper subscribes again after this time, or if they stop. */
  | { readonly decision: "subscribed"; readonly renewAfterMs: number }
  /** `reason` is one line for people. */
  | { readonly decision: "refused"; readonly reason: string; readonly retryAfterMs: number };

/**
 * The news of a hint. `fresh`: the vault's newest versions are those of the subscription. `changed`:
 * they are not.
 */
export type HintNews = (typeof hintNews)[number];

/** Both. */
export const hintNews = ["fresh", "changed"] as const;

/** A hint. It names no secret and no version. */
export interface Hint {
  /** Greater than in each hint of the same key before. */
  readonly sequence: number;
  readonly news: HintNews;
  /** For how long `fresh` holds; 0 for `changed`. */
  readonly validMs: number;
}

/** The text of a hint. Its MAC is HMAC-SHA256 over this text, in lower-case hexadecimal digits. */
export function hintText({ sequence, news, validMs }: Hint): string {
  return `1 ${sequence} ${news} ${validMs}`;
}

/** A hint as it came, whose MAC was not verified yet. */
export interface UnverifiedHint {
  readonly hint: Hint;
  readonly mac: string;
}

/** Reads the value of HINT_HEADER; undefined if it is not one. */
export function parseHint(value: string): UnverifiedHint | undefined {
  const [, sequence = "", news, validMs = "", mac = ""] =
    /^1 (\d{1,15}) (fresh|changed) (\d{1,9}) ([0-9a-f]{64})$/.exec(value) ?? [];
  const known = hintNews.find((word) => word === news);
  if (known === undefined) return undefined;
  return { hint: { sequence: Number(sequence), news: known, validMs: Number(validMs) }, mac };
}
