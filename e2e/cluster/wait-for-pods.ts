import { CANARY_PREFIX, waitFor } from "@svc/testing";
import type { StoryCluster } from "./story-cluster.ts";

/** As much of a pod as stories read. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly containers: readonly PodContainer[] } & Readonly<
    Record<string, unknown>
  >;
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** A container of a pod. */
export interface PodContainer {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
}

/** The kubelet's report of a container. */
export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly containerID?: string;
  readonly state: {
    readonly running?: object;
    readonly terminated?: { readonly exitCode: number; readonly message?: string };
    readonly waiting?: { readonly reason?: string };
  };
}

/** A pod by its namespace and name. */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

const DEADLINE_MS = 60_000;

/** The pod as it is. */
export async function readPod(cluster: StoryCluster, { namespace, name }: PodName): Promise<Pod> {
  return cluster.get<Pod>("pod", name, "-n", namespace);
}

/**
 * Waits until the pod is as wanted, and gives it. Throws `DEADLINE` with kubectl's report of it:
 * its description with its events, and its containers' last lines.
 */
export async function waitForPod(
  cluster: StoryCluster,
  pod: PodName,
  isWanted: (pod: Pod) => boolean,
  what: string,
  deadlineMs = DEADLINE_MS,
): Promise<Pod> {
  const look = async () => {
    const found = await readPod(cluster, pod);
    if (isWanted(found)) return found;
    refuseHopeless(found);
    // Each look is a process: not a hundred a second.
    await Bun.sleep(250);
    return undefined;
  };
  try {
    return await waitFor(look, { deadlineMs, what: `${pod.namespace}/${pod.name} ${what}` });
  } catch (error) {
    throw new TypeError(`${String(error)}\n${await describePod(cluster, pod)}`);
  }
}

/** A container that was started four times and failed each time will not be as wanted. */
const HOPELESS_RESTARTS = 3;

function refuseHopeless({ metadata, status }: Pod): void {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const failing = all.find(
    ({ state, restartCount }) =>
      state.waiting?.reason === "CrashLoopBackOff" && restartCount >= HOPELESS_RESTARTS,
  );
  if (failing === undefined) return;
  throw new TypeError(`${metadata.name}: its container ${failing.name} fails again and again`);
}

/** Waits until the pod is ready. */
export async function waitForReady(
  cluster: StoryCluster,
  pod: PodName,
  deadlineMs = DEADLINE_MS,
): Promise<Pod> {
  return waitForPod(cluster, pod, isReady, "to be ready", deadlineMs);
}

/** True when the kubelet calls it ready. */
export function isReady(pod: Pod): boolean {
  const { conditions = [] } = pod.status;
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** A report for the search why a pod is not as it should be. It has no value of a secret. */
export async function describePod(
  cluster: StoryCluster,
  { namespace, name }: PodName,
): Promise<string> {
  const described = await cluster.tryKubectl("describe", "pod", name, "-n", namespace);
  const logs = ["logs", name, "-n", namespace, "--all-containers", "--prefix", "--tail=20"];
  const said = await cluster.tryKubectl(...logs);
  const before = await cluster.tryKubectl(...logs, "--previous");
  const text = [described.stdout, said.stdout, before.stdout].join("\n--\n");
  return text.replaceAll(new RegExp(`${CANARY_PREFIX}[0-9a-f-]+`, "g"), "[a secret value]");
}
