import { waitFor } from "@svc/testing";
import { helmOperator, operatorValues } from "../operator/injection-stage.ts";
import type { StoryCluster } from "../story-cluster.ts";
import type { Pod } from "../wait-for-pods.ts";

const NAMESPACE = "svc-agent";

/** One side of an event: a process, as the agent reports it. */
export interface EventSide {
  readonly pid: number;
  readonly name?: string;
  readonly cgroup?: { readonly podUid?: string; readonly containerId?: string };
  readonly registration?: {
    readonly podUid?: string;
    readonly podName?: string;
    readonly namespace?: string;
    readonly container?: string;
  };
}

/** As much of an audit event as stories read. */
export interface AgentEvent {
  readonly kind: string;
  readonly decision?: string;
  readonly file?: string;
  readonly actor?: EventSide;
  readonly target?: EventSide;
  readonly registration?: EventSide["registration"];
}

/** The agent's report of its abilities on this kernel. */
export interface AgentStatus {
  readonly readiness: { readonly tier: string };
  readonly kernel: { readonly kernel: string };
  readonly enforcement: { readonly does: "refuse" | "kill" | "none" };
}

/** Installs the DaemonSet beside the operator, or changes its settings and the operator's. */
export async function installAgent(
  cluster: StoryCluster,
  settings = {},
  operator = {},
): Promise<void> {
  // The agent protects registered programs, and leaves the machine around the cluster alone.
  const agent = { enabled: true, settings: { enforceNode: false, ...settings } };
  await helmOperator(cluster, "upgrade", { ...(await operatorValues(cluster, operator)), agent });
  await onePodIsLeft(cluster);
}

/** Takes the DaemonSet away again. */
export async function removeAgent(cluster: StoryCluster): Promise<void> {
  await helmOperator(cluster, "upgrade", await operatorValues(cluster));
}

/** Asks the agent's pod for its status. */
export async function agentStatus(cluster: StoryCluster): Promise<AgentStatus> {
  const [pod] = await podsOf(cluster);
  const reply = await fetch(`http://${pod?.status.podIP}:9090/status`);
  return JSON.parse(await reply.text());
}

/** Waits for an event on the agent's standard output. */
export async function toldEvent(
  cluster: StoryCluster,
  isWanted: (event: AgentEvent) => boolean,
  what: string,
): Promise<AgentEvent> {
  const find = () => findEvent(cluster, isWanted);
  return waitFor(find, { deadlineMs: 20_000, what: `an event of ${what}` });
}

/** An event that the agent has reported so far; undefined if it has not. */
export async function findEvent(
  cluster: StoryCluster,
  isWanted: (event: AgentEvent) => boolean,
): Promise<AgentEvent | undefined> {
  return (await toldEvents(cluster)).find(isWanted);
}

/** The events that the agent has reported so far. */
export async function toldEvents({ kubectl }: StoryCluster): Promise<readonly AgentEvent[]> {
  const text = await kubectl("logs", "-n", NAMESPACE, "daemonset/svc-agent");
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  const events: readonly AgentEvent[] = lines.map((line) => JSON.parse(line));
  return events.filter(({ kind }) => kind !== undefined);
}

/** Has the agent's pod replaced by another one. */
export async function restartAgent(cluster: StoryCluster): Promise<void> {
  const [before] = await podsOf(cluster);
  await cluster.kubectl("rollout", "restart", "-n", NAMESPACE, "daemonset/svc-agent");
  const status = ["rollout", "status", "-n", NAMESPACE, "daemonset/svc-agent", "--timeout=2m"];
  await cluster.kubectl(...status);
  await onePodIsLeft(cluster);
  const [after] = await podsOf(cluster);
  if (after?.metadata.uid === before?.metadata.uid)
    throw new TypeError("the same pod of the agent");
}

async function onePodIsLeft(cluster: StoryCluster): Promise<void> {
  const isSo = async () => {
    const pods = await podsOf(cluster);
    return pods.length === 1 && pods[0]?.metadata.deletionTimestamp === undefined;
  };
  await waitFor(isSo, { deadlineMs: 60_000, what: "one pod of the agent" });
}

async function podsOf({ get }: StoryCluster): Promise<readonly Pod[]> {
  return (await get<{ items: readonly Pod[] }>("pods", "-n", NAMESPACE)).items;
}
