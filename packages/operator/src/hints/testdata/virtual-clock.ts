/** A clock that stands still until the test moves it. */
export interface VirtualClock {
  readonly nowMs: () => number;
  /** As `pause` of `@svc/logging`. */
  readonly pause: (ms: number, ...signals: readonly AbortSignal[]) => Promise<void>;
  /** Lets time pass: each pause that ends in it ends at its time. */
  readonly pass: (ms: number) => Promise<void>;
}

interface Pending {
  readonly atMs: number;
  readonly end: () => void;
}

const TURNS = 40;

/** Makes one that begins at zero. */
export function virtualClock(): VirtualClock {
  let now = 0;
  const pending = new Set<Pending>();
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn += 1) await Promise.resolve();
  };
  return {
    nowMs: () => now,
    pause: async (ms, ...signals) => {
      if (ms <= 0 || signals.some(({ aborted }) => aborted)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const entry = { atMs: now + ms, end: resolve };
      pending.add(entry);
      for (const signal of signals) signal.addEventListener("abort", () => resolve());
      await promise;
      pending.delete(entry);
    },
    pass: async (ms) => {
      const endMs = now + ms;
      for (;;) {
        await turns();
        const [next] = [...pending]
          .filter(({ atMs }) => atMs <= endMs)
          .sort((one, other) => one.atMs - other.atMs);
        if (next === undefined) break;
        now = Math.max(now, next.atMs);
        pending.delete(next);
        next.end();
      }
      now = endMs;
    },
  };
}
