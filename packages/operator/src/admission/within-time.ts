/** The outcome of a request with a time limit. */
export type Timely<T> =
  /** `isCutShort` if it came after the signal: there may be less in it than was asked for. */
  | { readonly kind: "answer"; readonly value: T; readonly isCutShort: boolean }
  | { readonly kind: "late" }
  | { readonly kind: "failed"; readonly error: unknown };

/** How long a stopped lookup may take to return its partial result. */
const LAST_WORDS_MS = 100;

/**
 * Asks, and waits no longer than to a moment of `performance.now()`. The signal is aborted a little
 * before: a caller with several requests can then return its partial results.
 */
export async function withinTime<T>(
  endMs: number,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<Timely<T>> {
  const controller = new AbortController();
  const late = Promise.withResolvers<Timely<T>>();
  const leftMs = endMs - performance.now();
  const stop = setTimeout(() => controller.abort(), Math.max(0, leftMs - LAST_WORDS_MS));
  const end = setTimeout(() => late.resolve({ kind: "late" }), Math.max(0, leftMs));
  try {
    return await Promise.race([answerOf(ask, controller.signal), late.promise]);
  } finally {
    clearTimeout(stop);
    clearTimeout(end);
  }
}

async function answerOf<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<Timely<T>> {
  try {
    const value = await ask(signal);
    return { kind: "answer", value, isCutShort: signal.aborted };
  } catch (error) {
    return { kind: "failed", error };
  }
}
