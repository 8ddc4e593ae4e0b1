/** The name itself, or the first of `NAME-2`, `NAME-3` and so on that is not taken. */
export function freeName(name: string, taken: readonly string[]): string {
  const all = new Set(taken);
  let free = name;
  for (let next = 2; all.has(free); next += 1) free = `${name}-${next}`;
  return free;
}
