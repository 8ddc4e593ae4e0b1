// The longest time of a timer. Beyond it setTimeout fires at once, and below 0 it prints a warning,
// too.
export const LONGEST_MS = 2 ** 31 - 1;

/** Waits, or returns early once the signal aborts: the caller looks at the signal. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const timer = setTimeout(done, Math.min(Math.max(ms, 0), LONGEST_MS));
    signal?.addEventListener("abort", done);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
