import type { Log } from "@svc/logging";

/** Logs a persistent problem once, and again from time to time. */
export interface UnrepeatedLog {
  /** Says it, unless it was the last thing that was said here, less than ten minutes ago. */
  readonly say: Log;
  /** It is over: the next one is said in any case. */
  readonly over: () => void;
}

const AGAIN_AFTER_MS = 600_000;

/** Makes a log that does not say the same every few seconds while an API server is away. */
export function unrepeatedLog(
  log: Log,
  nowMs: () => number = () => performance.now(),
): UnrepeatedLog {
  let last: { readonly message: string; readonly atMs: number } | undefined;
  return {
    say: (level, message, fields) => {
      const isNew = last?.message !== message || nowMs() - last.atMs >= AGAIN_AFTER_MS;
      if (!isNew) return;
      last = { message, atMs: nowMs() };
      log(level, message, fields);
    },
    over: () => {
      last = undefined;
    },
  };
}
