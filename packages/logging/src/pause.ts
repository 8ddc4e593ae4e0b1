/** Resolves after a while, or as soon as a signal is aborted, the first of the two. */
export async function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  if (ms <= 0 || signals.some(({ aborted }) => aborted)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, ms);
  for (const signal of signals) signal.addEventListener("abort", end, { once: true });
  await promise;
  clearTimeout(timer);
  // A signal that lives as long as the program would collect a listener for each pause.
  for (const signal of signals) signal.removeEventListener("abort", end);
}
