import type { SeededRandom } from "./seeded-random.ts";

/** A fault of one request. */
export type RequestFault =
  /** The answer comes late. */
  | { readonly kind: "latency"; readonly ms: number }
  /** The connection is reset; the vault has never heard of the request. */
  | { readonly kind: "reset before the request" }
  /** The vault carries out the request, and the connection is reset before the answer. */
  | { readonly kind: "reset after the request" }
  | { readonly kind: "reset in the answer" }
  /** The answer ends too soon, as if it were complete. */
  | { readonly kind: "truncated body" }
  | { readonly kind: "status"; readonly status: 429 | 500 | 503; readonly retryAfterS?: number }
  /** No answer, and no end. */
  | { readonly kind: "black hole" }
  /** The answer comes in pieces of some bytes. */
  | { readonly kind: "slow bytes"; readonly pauseMs: number };

/** Draws a fault. Black holes are rare: each holds its client for ten seconds. */
export function drawFault(random: SeededRandom): RequestFault {
  if (random.next() < 0.03) return { kind: "black hole" };
  return random.pick<() => RequestFault>([
    () => ({ kind: "latency", ms: random.between(20, 1500) }),
    () => ({ kind: "reset before the request" }),
    () => ({ kind: "reset after the request" }),
    () => ({ kind: "reset in the answer" }),
    () => ({ kind: "truncated body" }),
    () => ({ kind: "status", status: 429 }),
    () => ({ kind: "status", status: 429, retryAfterS: 1 }),
    () => ({ kind: "status", status: 500 }),
    () => ({ kind: "status", status: 503 }),
    () => ({ kind: "slow bytes", pauseMs: random.between(5, 50) }),
  ])();
}
