/** Runs `task` for every item, at most `limit` at a time; results are in the order of the items. */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Array<R>(items.length);
  const entries = items.entries();
  // All workers draw from one iterator, so a slow item holds up nothing else.
  const work = async () => {
    for (const [index, item] of entries) results[index] = await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
