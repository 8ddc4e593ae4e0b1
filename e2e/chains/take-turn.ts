/** How many rows run at the same time. */
const AT_ONCE = 4;
let free = AT_ONCE;
const waiting: (() => void)[] = [];

/** Waits until fewer than four rows run; disposing lets the next one run. */
export async function takeTurn(): Promise<Disposable> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  return {
    [Symbol.dispose]: () => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
