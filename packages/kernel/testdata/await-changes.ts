import { type ChildChange, nextChildChange } from "../src/index.ts";

const DEADLINE_MS = 10_000;

/** Takes changes of children until one satisfies the condition; gives all that were seen. */
export async function changesUntil(
  isLast: (change: ChildChange) => boolean,
): Promise<readonly ChildChange[]> {
  const end = performance.now() + DEADLINE_MS;
  const seen: ChildChange[] = [];
  while (performance.now() < end) {
    const change = nextChildChange();
    if (change === undefined) await Bun.sleep(1);
    else seen.push(change);
    if (change !== undefined && isLast(change)) return seen;
  }
  throw new Error(`wait for a child: only saw ${JSON.stringify(seen)} within ${DEADLINE_MS} ms`);
}
