import type { RequestTimeout } from "./running-timeout.ts";
import { LONGEST_MS } from "./sleep.ts";

/**
 * Aborts after a time by the clock. A timer of `AbortSignal.timeout` goes on when the request has
 * ended: hundreds of them would slow the event loop down.
 */
export function clockTimeout(ms: number): RequestTimeout {
  const controller = new AbortController();
  const abort = () => controller.abort(new Error("the time is up"));
  const timer = setTimeout(abort, Math.min(ms, LONGEST_MS));
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
