/** How many stores and their runs two processors take at a time: some of them wait. */
const PLACES = 10;

let free = PLACES;
const waiting: (() => void)[] = [];

/** Runs something as soon as a place is free. */
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
