const ending: ReadonlySet<number> = new Set([
  1, 2, 3, 10, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30,
]);

/**
 * True for a signal that ends a process without a handler, except for SIGKILL and those of faults:
 * signal(7). Every real-time signal does.
 */
export function endsByDefault(signal: number): boolean {
  return ending.has(signal) || signal >= 32;
}
