import type { FoundWrapper } from "../cluster/find-wrappers.ts";
import type { ToldSecret } from "../cluster/told-secrets.ts";

/** How a refresh came out for one wrapper. */
export interface RefreshOutcome {
  readonly pod: string;
  readonly container: string;
  readonly outcome: keyof typeof outcomes;
  /** One line for people; absent if there is nothing to say. */
  readonly reason?: string;
  /** The versions that a current program has; absent if the wrapper shows none. */
  readonly secrets?: readonly ToldSecret[];
}

/** Each outcome, with the exit status of the command and words for people. */
export const outcomes = {
  current: { exitStatus: 0, words: "has the newest values" },
  begun: { exitStatus: 0, words: "checks now" },
  "would be asked": { exitStatus: 0, words: "would be asked" },
  gone: {
    exitStatus: 0,
    words: "is gone; a pod that takes its place starts with the newest values",
  },
  unchecked: { exitStatus: 2, words: "never checks" },
  unreached: { exitStatus: 2, words: "cannot be asked" },
  outdated: { exitStatus: 3, words: "does not have the newest values yet" },
} as const satisfies Readonly<
  Record<string, { readonly exitStatus: number; readonly words: string }>
>;

/** The outcome for a wrapper. */
export function outcomeOf(
  { pod, container }: FoundWrapper,
  outcome: RefreshOutcome["outcome"],
  reason?: string,
): RefreshOutcome {
  return { pod, container, outcome, ...(reason !== undefined && { reason }) };
}

/** A line for people. */
export function outcomeText({
  pod,
  container,
  outcome,
  reason,
  secrets = [],
}: RefreshOutcome): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  const versions = secrets.map(({ path, version }) => `${path} version ${version}`).join(", ");
  const which = versions === "" ? "" : `: ${versions}`;
  return `pod ${pod}, container ${container}: ${outcomes[outcome].words}${why}${which}`;
}

/** The exit status for all of them; without any, nothing could be refreshed. */
export function exitStatusOf(found: readonly RefreshOutcome[]): number {
  if (found.length === 0) return outcomes.unreached.exitStatus;
  return Math.max(...found.map(({ outcome }) => outcomes[outcome].exitStatus));
}
