/** A limit of time for a request, which ends with the request. */
export interface RequestTimeout extends Disposable {
  readonly signal: AbortSignal;
}

const TICK_MS = 250;

/**
 * Aborts after a time in which this process ran. While it is stopped, or the machine is suspended,
 * time passes for a clock and not for the process. An answer that is in the socket when it goes on
 * is still read.
 */
export function runningTimeout(ms: number): RequestTimeout {
  const controller = new AbortController();
  let left = ms;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    left -= Math.min(now - last, 2 * TICK_MS);
    last = now;
    if (left <= 0) controller.abort(new Error("the time is up"));
  }, TICK_MS);
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
