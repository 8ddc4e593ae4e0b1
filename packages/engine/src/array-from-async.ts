// Array.fromAsync, ECMAScript 2026. The engine's own defines items that are not enumerable, which
// Object.keys and comparisons of arrays leave out.

async function fromAsync<T>(items: AsyncIterable<T> | Iterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

Object.defineProperty(Array, "fromAsync", { value: fromAsync, configurable: true, writable: true });
