const FIRST_MS = 500;
const MOST_MS = 30_000;

/** The pause before the agent is tried again, after so many failures in a row. Full jitter: a node's wrappers all lose it at one moment. */
export function reconnectPauseMs(failures: number, random: number): number {
  return random * Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(Math.max(failures - 1, 0), 20));
}
