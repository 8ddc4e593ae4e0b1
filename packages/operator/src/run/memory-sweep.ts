import { giveMemoryBack } from "@svc/kernel";

const EVERY_MS = 5000;
/** A sweep takes some ten milliseconds, and discards compiled code: few pods do not need one. */
const WORTH = 500;

/**
 * Gives the memory of many admissions back to the node after five seconds without one: Bun keeps
 * memory that it once had. In the midst of them it would make them three times as slow. Ends with
 * the signal.
 *
 * @param judged how many pods were judged since the operator started
 */
export function sweepMemory(judged: () => number, signal: AbortSignal): void {
  let seen = 0;
  let swept = 0;
  const timer = setInterval(() => {
    const isIdle = judged() === seen;
    seen = judged();
    if (!isIdle || seen - swept < WORTH) return;
    swept = seen;
    giveMemoryBack();
  }, EVERY_MS);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}
