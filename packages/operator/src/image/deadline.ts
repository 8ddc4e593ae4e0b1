import type { ImageError } from "./image-error.ts";

/** A signal that ends by itself. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborts with an error of ours after some milliseconds, or when one of the signals does, with its
 * reason.
 */
export function deadline(
  limitMs: number,
  error: () => ImageError,
  ...signals: readonly AbortSignal[]
): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(error()), limitMs);
  return {
    signal: AbortSignal.any([controller.signal, ...signals]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
