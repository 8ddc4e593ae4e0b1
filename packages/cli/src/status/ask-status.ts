import type { ClusterView, Manifest } from "../cluster/cluster-view.ts";
import { type FoundWrapper, findWrappers } from "../cluster/find-wrappers.ts";
import { type ToldStatus, toldStatus } from "./told-status.ts";
import { workloadOf } from "./workload-of.ts";

/** A wrapper and its words. */
export interface WrapperStatus {
  readonly namespace: string;
  readonly workload: string;
  readonly pod: string;
  readonly container: string;
  /** Empty if no node has taken the pod. */
  readonly node: string;
  readonly told: ToldStatus;
}

/** The API server's proxy opens a connection for each. */
const AT_ONCE = 16;

/** Asks the wrappers of pods, some at a time, and keeps the order of the pods. */
export async function askStatus(
  pods: readonly Manifest[],
  cluster: Pick<ClusterView, "wrapperState">,
): Promise<readonly WrapperStatus[]> {
  const asked = pods.flatMap((pod) => findWrappers([pod]).map((wrapper) => ({ pod, wrapper })));
  const found: WrapperStatus[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < asked.length; index = next++) {
      const one = asked[index];
      if (one !== undefined) found[index] = await statusOf(one.pod, one.wrapper, cluster);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function statusOf(
  manifest: Manifest,
  { pod, container, proxied }: FoundWrapper,
  cluster: Pick<ClusterView, "wrapperState">,
): Promise<WrapperStatus> {
  const namespace = String(Object(manifest["metadata"]).namespace);
  const node = String(Object(manifest["spec"]).nodeName ?? "");
  const place = { namespace, workload: workloadOf(manifest), pod, container, node };
  return { ...place, told: await toldBy(namespace, proxied, cluster) };
}

async function toldBy(
  namespace: string,
  proxied: string | undefined,
  cluster: Pick<ClusterView, "wrapperState">,
): Promise<ToldStatus> {
  if (proxied === undefined) {
    return { kind: "unreached", reason: "it listens on the pod's loopback alone" };
  }
  const seen = await cluster.wrapperState(namespace, proxied);
  if (!seen.ok) return { kind: "unreached", reason: seen.found };
  if (seen.value === undefined) {
    return { kind: "unreached", reason: "its wrapper is older than this command" };
  }
  return toldStatus(seen.value);
}
