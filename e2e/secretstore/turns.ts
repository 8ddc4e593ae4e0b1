/** How many stores and commands two processors take at a time. */
const PLACES = 4;

let free = PLACES;
const waiting: (() => void)[] = [];

/** Runs something as soon as fewer than four others run. */
export async function inTurn<T>(act: () => Promise<T>): Promise<T> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await act();
  } finally {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }
}
