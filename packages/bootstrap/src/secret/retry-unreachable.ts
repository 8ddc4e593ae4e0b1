import { BootstrapError } from "../bootstrap-error.ts";
import type { Patience } from "../store/ask-until.ts";

/** Repeats an idempotent operation, while the API server does not answer and the time is not up. */
export async function retryUnreachable<T>(
  act: () => Promise<T>,
  { deadlineMs, intervalMs }: Patience,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isUnreachable(error) || performance.now() >= end) throw error;
    }
    await Bun.sleep(intervalMs);
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof BootstrapError && error.code === "KUBERNETES_UNREACHABLE";
}
