import { type Container, type Pod, parsePod, setsVariable } from "@svc/operator";
import type { Manifest } from "../cluster/cluster-view.ts";
import { findWrappers } from "../cluster/find-wrappers.ts";
import { plain } from "../cluster/told-secrets.ts";
import type { ReasonSource } from "./ask-reasons.ts";

/** Other pods are on the same nodes, or tell the same. */
const MOST_ASKED = 5;
const LONGEST_REASON = 400;

/**
 * One line for each program that is to be watched by its node's kernel agent, and whose wrapper has
 * no connection with one. A wrapper that is older than this word says nothing.
 */
export async function agentWarnings(
  pods: readonly Manifest[],
  { cluster, namespace, open }: ReasonSource,
): Promise<readonly string[]> {
  const watched = findWrappers(pods.filter(isRunning))
    .filter(({ pod, container }) => asksForAgent(pods, pod, container))
    .slice(0, MOST_ASKED);
  const lines = await Promise.all(
    watched.map(async ({ pod, container, proxied }) => {
      if (proxied === undefined) return [];
      const told = await cluster.wrapperState(namespace, proxied);
      if (!told.ok) {
        open.push(`whether an agent watches ${pod}: ${told.found}`);
        return [];
      }
      const { connected, reason } = Object(Object(told.value).agent);
      return connected === false ? [lineOf(pod, container, reason)] : [];
    }),
  );
  return lines.flat();
}

function lineOf(pod: string, container: string, reason: unknown): string {
  const why = typeof reason === "string" ? `: ${plain(reason).slice(0, LONGEST_REASON)}` : "";
  return `pod ${pod}, container ${container}: no kernel agent of its node watches the program${why}`;
}

function isRunning({ status }: Manifest): boolean {
  return Object(status).phase === "Running";
}

function asksForAgent(pods: readonly Manifest[], pod: string, container: string): boolean {
  const manifest = pods.find(({ metadata }) => Object(metadata).name === pod);
  const parsed = parsePod(manifest);
  return parsed.ok && containersOf(parsed.pod).some((one) => one.name === container && asks(one));
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

function asks(container: Container): boolean {
  return setsVariable(container, "SVC_EBPF_AGENT_ADDR");
}
