import type { ProcessFacts } from "./process-facts.ts";

/** A process that a wrapper wants to protect. */
export interface Claim {
  /** From the program up to the wrapper that claims it, both included. */
  readonly line: readonly ProcessFacts[];
  readonly registration: bigint;
  /** The program's present mark, if it has one. */
  readonly markedBy: bigint | undefined;
}

/** The known claims of others. */
export interface KnownClaims {
  /** The registration that a process was registered under. */
  readonly ofProcess: (process: ProcessFacts) => bigint | undefined;
  /** The registration that a process is the wrapper of. */
  readonly ofWrapper: (process: ProcessFacts) => bigint | undefined;
  /** Whether the wrapper of a registration is above the one that claims. */
  readonly isAbove: (registration: bigint) => boolean;
}

/** Pure: whether one of some processes is another wrapper, or was registered by one. */
export function isOfAnother(
  line: readonly ProcessFacts[],
  registration: bigint,
  known: Pick<KnownClaims, "ofProcess" | "ofWrapper">,
): boolean {
  return line
    .flatMap((process) => [known.ofWrapper(process), known.ofProcess(process)])
    .some((found) => found !== undefined && found !== registration);
}

/**
 * The registration that has the better claim, if there is one. The wrapper that registers a
 * process owns its mark, and an owner's operations are not events. The nearer of two
 * wrappers owns the process.
 */
export function nearerClaim(claim: Claim, known: KnownClaims): bigint | undefined {
  const { line, registration, markedBy } = claim;
  const between = line.slice(1, -1).map(known.ofWrapper);
  const wrapper = between.find((found) => found !== undefined && found !== registration);
  if (wrapper !== undefined) return wrapper;
  return [...line.slice(0, -1).map(known.ofProcess), markedBy].find(
    (other) => other !== undefined && other !== registration && !known.isAbove(other),
  );
}
