import type { HintNews } from "@svc/protocol";
import type { KnownSecret, Subscription, WatchedMount } from "./subscription.ts";

const [LEAST_MS, MOST_MS] = [10_000, 60_000];
const LEAST_CYCLE_MS = 1000;
const CYCLES = 3;

/** How old a look may be that says that a version is the newest. */
export function freshForMs({ cycleMs = LEAST_CYCLE_MS }: Pick<WatchedMount, "cycleMs">): number {
  return Math.min(MOST_MS, Math.max(LEAST_MS, CYCLES * cycleMs));
}

/**
 * The news for a subscriber; undefined if nothing is sure, and so nothing is said.
 *
 * - `changed`: another version is the newest, or the vault says something else about it since.
 * - `fresh`: each of its versions is the newest, is there, and was looked at a moment ago.
 */
export function newsOf(subscription: Subscription, nowMs: number): HintNews | undefined {
  let isFresh = true;
  for (let secret = subscription.secrets; secret !== undefined; secret = secret.next) {
    const news = newsOfSecret(secret, subscription.renewedMs, nowMs);
    if (news === "changed") return news;
    isFresh &&= news === "fresh";
  }
  return isFresh ? "fresh" : undefined;
}

function newsOfSecret(secret: KnownSecret, renewedMs: number, nowMs: number): HintNews | undefined {
  const { path, version } = secret;
  if (secret.baseline === 0) {
    // The wrapper may know a newer version than the last look has seen.
    if (path.generation === 0 || path.lookedMs <= renewedMs) return undefined;
    secret.baseline = path.generation;
  }
  if (path.generation !== secret.baseline) return "changed";
  // Not even that the vault has no such secret is said.
  if (path.found === undefined) return undefined;
  if (path.found.version !== version) return "changed";
  const isYoung = nowMs - path.lookedMs <= freshForMs(path.mount);
  return path.found.isUsable && isYoung ? "fresh" : undefined;
}
