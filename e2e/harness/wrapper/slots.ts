/** How many launches run at the same time; more only wait for each other's processors. */
const SLOTS = 4;

let slots = SLOTS;
let free = slots;
const waiting: (() => void)[] = [];

/** Lets more run at the same time: stories that wait for the time to pass need no processor. */
export function allowAtOnce(launches: number): void {
  for (; slots < launches; slots += 1) giveBack();
}

/** Waits for a slot. The caller calls the returned function once, to give it back. */
export async function takeSlot(): Promise<() => void> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  return giveBack;
}

function giveBack(): void {
  const next = waiting.shift();
  if (next === undefined) free += 1;
  else next();
}
