import { expandedWithoutReferences } from "../pod/expansion.ts";
import type { Container } from "../pod/pod.ts";

/** True if the container's own `env` has the variable: an explicit choice, which stays. */
export function setsVariable({ env }: Container, ...names: readonly string[]): boolean {
  return (env ?? []).some(({ name }) => names.includes(name));
}

/**
 * The text of a variable in the container's own `env`, as far as the pod alone tells; the last one
 * counts.
 */
export function ownText({ env }: Container, name: string): string | undefined {
  const entry = (env ?? []).findLast((candidate) => candidate.name === name);
  if (entry === undefined || (entry.valueFrom ?? undefined) !== undefined) return undefined;
  return expandedWithoutReferences(entry.value ?? "");
}
