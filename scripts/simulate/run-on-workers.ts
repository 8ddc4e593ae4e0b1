import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { FailedSeed, Seeds } from "@svc/simulator";

const worker = join(import.meta.dirname, "seeds-of-worker.ts");

/**
 * Runs seeds on each processor, in a process each.
 *
 * @returns the lowest failed seed that was found; undefined if none failed.
 */
export async function runOnWorkers({ first, count }: Seeds): Promise<FailedSeed | undefined> {
  const workers = Math.min(availableParallelism(), count);
  const found = await Promise.all(
    Array.from({ length: workers }, (_, index) =>
      seedsOf({ first: first + index, count: count - index, step: workers }),
    ),
  );
  const failed = found.filter((one) => one !== undefined);
  return failed.sort((one, other) => one.seed - other.seed)[0];
}

async function seedsOf(seeds: Required<Seeds>): Promise<FailedSeed | undefined> {
  const child = Bun.spawn([process.execPath, worker, JSON.stringify(seeds)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text, status] = await Promise.all([child.stdout.text(), child.exited]);
  if (status !== 0) throw new Error(`a worker ended with ${status}`);
  const { failed } = JSON.parse(text) as { readonly failed: FailedSeed | null };
  return failed ?? undefined;
}
