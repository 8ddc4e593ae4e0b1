import type { ProcessFacts } from "./process-facts.ts";

/** The facts that tell the first process of a container. */
export interface ContainerProcess extends Pick<ProcessFacts, "namespacePids"> {
  readonly podUid: string | undefined;
}

/**
 * Pure: why a process is not the first one of a pod's container, for people; undefined if it is.
 * The container runtime starts that process from the pod's definition. A process that enters the
 * container later, as with `kubectl exec`, is never the first one.
 *
 * @param namespacePids its numbers, from the agent's pid namespace to its own
 */
export function notFirstProcess({ podUid, namespacePids }: ContainerProcess): string | undefined {
  if (podUid === undefined) return "it is not in a pod";
  if (namespacePids.length < 2) return "it is in the node's pid namespace";
  if (namespacePids.at(-1) !== 1) return "it is not the first process of a container";
  return undefined;
}
