/** A pod that has asked not longer ago than this still waits. */
const WAITS_MS = 45_000;
/** A pod whose secret lives on for longer takes its turn like others. */
const URGENT_MS = 3_600_000;

interface Waiting {
  readonly atMs: number;
  /** Infinity if its secret does not expire soon. */
  readonly expiresMs: number;
}

/** Which pods of which workload wait, and whose secret expires first. */
export class Urgencies {
  readonly #byWorkload = new Map<string, Map<string, Waiting>>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Notes that a pod has asked, and gives how many pods of the workload wait. */
  note(workload: string, pod: string, expiresInSeconds: number | undefined): number {
    const nowMs = this.#nowMs();
    this.#sweep(nowMs);
    const waiting = this.#byWorkload.get(workload) ?? new Map<string, Waiting>();
    const expiresMs = nowMs + (expiresInSeconds ?? Number.POSITIVE_INFINITY) * 1000;
    const isUrgent = expiresMs - nowMs < URGENT_MS;
    waiting.set(pod, { atMs: nowMs, expiresMs: isUrgent ? expiresMs : Number.POSITIVE_INFINITY });
    this.#byWorkload.set(workload, waiting);
    return waiting.size;
  }

  /** Whether a pod waits whose secret expires before that of another one. */
  hasMoreUrgent(workload: string, pod: string): boolean {
    const waiting = this.#byWorkload.get(workload);
    const own = waiting?.get(pod)?.expiresMs ?? Number.POSITIVE_INFINITY;
    return [...(waiting?.values() ?? [])].some(({ expiresMs }) => expiresMs < own);
  }

  /** Forgets a pod that has its permit. */
  forget(workload: string, pod: string): void {
    this.#byWorkload.get(workload)?.delete(pod);
  }

  #sweep(nowMs: number): void {
    for (const [workload, waiting] of this.#byWorkload) {
      for (const [pod, { atMs }] of waiting) if (nowMs - atMs > WAITS_MS) waiting.delete(pod);
      if (waiting.size === 0) this.#byWorkload.delete(workload);
    }
  }
}
