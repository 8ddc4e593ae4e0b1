import type { CombinationAnswer } from "@svc/testing";

/**
 * How a combination ended. `silent`: it found the canary, and no event names the process that found
 * it. `seen`: it found it, with an event. `stopped`: it found nothing, with an event. `harmless`: it
 * found nothing, and there is no event.
 */
export type Verdict = "silent" | "seen" | "stopped" | "harmless";

/** The process that an event names as the actor. */
export interface Actor {
  readonly pid: number;
}

/** One find without an event is enough, also among a hundred that were seen. */
export function judgeCombination(
  { finds, looters }: Pick<CombinationAnswer, "finds" | "looters">,
  actors: readonly Actor[],
): Verdict {
  const named = new Set(actors.map(({ pid }) => pid));
  if (looters.some((pids) => !pids.some((pid) => named.has(pid)))) return "silent";
  if (finds > 0) return "seen";
  return named.size > 0 ? "stopped" : "harmless";
}
