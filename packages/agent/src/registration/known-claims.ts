import { closeDescriptor, openProcess, SyscallError } from "@svc/kernel";
import { lineage } from "./find-descendant.ts";
import type { Marks } from "./marks.ts";
import type { KnownClaims } from "./nearer-claim.ts";
import { type ProcessFacts, readProcess } from "./process-facts.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { Registry } from "./registry.ts";

/** The caller. */
export interface Asking {
  readonly process: ProcessFacts;
  /** Its registration before its Hello: it is below that registration's wrapper. */
  readonly cameAs: bigint | undefined;
}

const MOST_ANCESTORS = 64;

/**
 * The known claims of others: by this agent, by earlier agents in the registry, and by the
 * kernel, whose marks outlive agents if they are pinned.
 */
export function knownClaims(
  { marks, registry }: { readonly marks: Pick<Marks, "ownedBy">; readonly registry: Registry },
  asking: Asking,
): KnownClaims {
  // One claim asks about the same processes again and again.
  const asked = new Map<string, bigint | undefined>();
  const owned = (process: ProcessFacts) => {
    const key = `${process.pid} ${process.startTicks}`;
    if (!asked.has(key)) asked.set(key, ownedBy(process, marks));
    return asked.get(key);
  };
  return {
    ofProcess: (process) => registry.ofProcess(process),
    ofWrapper: (process) => registry.ofWrapper(process) ?? owned(process),
    isAbove: (registration) =>
      registration === asking.cameAs ||
      isAncestor(registry.wrapperOf(registration), asking.process) ||
      ancestorsOf(asking.process).some((process) => owned(process) === registration),
  };
}

function ownedBy(
  { pid, startTicks }: ProcessFacts,
  marks: Pick<Marks, "ownedBy">,
): bigint | undefined {
  let pidfd: number | undefined;
  try {
    pidfd = openProcess(pid);
    return readProcess(pid)?.startTicks === startTicks ? marks.ownedBy(pidfd) : undefined;
  } catch (error) {
    if (error instanceof SyscallError && error.code === "ESRCH") return undefined;
    throw error;
  } finally {
    if (pidfd !== undefined) closeDescriptor(pidfd);
  }
}

function isAncestor(wrapper: ProcessIdentity | undefined, process: ProcessFacts): boolean {
  if (wrapper === undefined) return false;
  const facts = readProcess(wrapper.pid);
  if (facts?.startTicks !== wrapper.startTicks) return false;
  return lineage(process, facts) !== undefined;
}

function ancestorsOf(process: ProcessFacts): readonly ProcessFacts[] {
  const found: ProcessFacts[] = [];
  let child = process;
  while (found.length < MOST_ANCESTORS) {
    const parent = readProcess(child.parentPid);
    if (parent === undefined || parent.startTicks > child.startTicks) return found;
    found.push(parent);
    child = parent;
  }
  return found;
}
