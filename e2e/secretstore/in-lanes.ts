/** Stores and their runs that two processors take at a time. */
const LANES = 3;

/** Does it for every value, some at a time; the results come as they end. */
export async function inLanes<T, R>(
  values: readonly T[],
  act: (value: T) => Promise<R>,
): Promise<readonly R[]> {
  const waiting = [...values];
  const results: R[] = [];
  const work = async () => {
    for (let value = waiting.shift(); value !== undefined; value = waiting.shift()) {
      results.push(await act(value));
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return results;
}
