/** How long to ask again. */
export interface Patience {
  readonly deadlineMs: number;
  readonly intervalMs: number;
}

/**
 * Asks until `found` is true of an answer or the time is up, and gives the last answer either way.
 * An error ends it at once.
 */
export async function askUntil<T>(
  ask: () => Promise<T>,
  found: (answer: T) => boolean,
  { deadlineMs, intervalMs }: Patience,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (found(answer) || performance.now() >= end) return answer;
    await Bun.sleep(intervalMs);
  }
}
