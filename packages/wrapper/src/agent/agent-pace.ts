import type { AgentTarget } from "./agent-target.ts";

/** The events before the next try. */
export interface AgentFailures {
  readonly target: AgentTarget["kind"];
  /** In a row. */
  readonly count: number;
  /** The agent refuses this wrapper. Only its settings change that, and seldom. */
  readonly isRefused: boolean;
}

/** A try at a socket costs little: a program must not be without protection for long. */
const SOCKET = { firstMs: 250, mostMs: 1500 } as const;
const NETWORK = { firstMs: 500, mostMs: 30_000 } as const;

/**
 * The pause before the agent is tried again. A node's wrappers all lose it at one moment, so chance
 * spreads them. At a socket no pause is longer than 1.5 s, and no later one is shorter than half of
 * that. If no agent ever runs, the wrappers need little.
 *
 * @param random from 0 to 1
 */
export function reconnectPauseMs(
  { target, count, isRefused }: AgentFailures,
  random: number,
): number {
  const isNear = target === "socket" && !isRefused;
  const { firstMs, mostMs } = isNear ? SOCKET : NETWORK;
  const rangeMs = Math.min(mostMs, firstMs * 2 ** Math.min(Math.max(count - 1, 0), 20));
  const leastMs = isNear && rangeMs === mostMs ? rangeMs / 2 : 0;
  return leastMs + random * (rangeMs - leastMs);
}
