import type { KubernetesCluster } from "../kubernetes/connect-kubernetes.ts";
import { type Administer, answers, type SeenNode, storeNodes } from "../nodes/store-nodes.ts";
import { parsePhase } from "../secret/parse-phase.ts";
import { retryUnreachable } from "../secret/retry-unreachable.ts";
import type { KeyCiphers, SecretPhase } from "../secret/secret-phase.ts";
import type { StatusSettings } from "../settings.ts";

/** The state of a pod of the store, without secrets. */
export type NodeStatus =
  | { readonly name: string; readonly state: "silent"; readonly why: string }
  | {
      readonly name: string;
      readonly state: "uninitialised" | "sealed" | "active" | "standby" | "unsealed";
      /** Shares given so far, if it is sealed. */
      readonly progress: number;
      readonly version: string;
      readonly storage: string | undefined;
      readonly clusterId: string | undefined;
    };

/** The output Secret's facts about its keys, without their values. */
export type SecretStatus =
  | { readonly phase: "absent" | "empty" }
  | {
      readonly phase: "reserved" | "initialising" | "resetting";
      readonly holder: string;
      readonly since: string;
    }
  | { readonly phase: "foreign"; readonly why: string }
  | {
      readonly phase: "initialised";
      readonly shares: number;
      readonly threshold: number;
      readonly rootToken: boolean;
      readonly encryption: KeyCiphers;
      readonly clusterId: string | undefined;
      readonly initialisedAt: string;
    };

/** Where a store stands. */
export interface StoreStatus {
  readonly nodes: readonly NodeStatus[];
  readonly secret: { readonly name: string } & SecretStatus;
  /** True if there are pods and every one is unsealed. */
  readonly isOpen: boolean;
  /** Why the keys of the Secret cannot be used; undefined if they can, or are elsewhere. */
  readonly keysProblem: string | undefined;
}

const PATIENCE = { deadlineMs: 10_000, intervalMs: 250 };

/**
 * Looks at a store's pods and at the output Secret, once and with no token.
 * @throws BootstrapError `KUBERNETES_*`
 */
export async function storeStatus(
  { store, outputSecret: name }: StatusSettings,
  cluster: KubernetesCluster,
  administer: Administer,
): Promise<StoreStatus> {
  const secret = cluster.secret({ namespace: store.namespace, name });
  const seen = await storeNodes(cluster, store, administer)();
  const nodes = await Promise.all(seen.map(statusOf));
  const phase = parsePhase(await retryUnreachable(() => secret.read(), PATIENCE));
  const open: readonly string[] = ["active", "standby", "unsealed"];
  const isOpen = nodes.length > 0 && nodes.every(({ state }) => open.includes(state));
  const secretNow = secretStatus(phase);
  const keysProblem = problemOfKeys(secretNow, nodes);
  return { nodes, secret: { name, ...secretNow }, isOpen, keysProblem };
}

/** The problem of the Secret beside these pods. Pure. */
export function problemOfKeys(
  secret: SecretStatus,
  nodes: readonly NodeStatus[],
): string | undefined {
  if (secret.phase === "foreign") return `it is not as svc leaves it: ${secret.why}`;
  if (secret.phase !== "initialised" || secret.clusterId === undefined) return undefined;
  const clusters = nodes.flatMap((node) => ("clusterId" in node ? (node.clusterId ?? []) : []));
  const [found] = clusters;
  if (found === undefined || clusters.includes(secret.clusterId)) return undefined;
  return `its keys are of cluster ${secret.clusterId}, and the store is cluster ${found}`;
}

async function statusOf(node: SeenNode): Promise<NodeStatus> {
  const { name, state } = node;
  if (!answers(node)) return { name, state: "silent", why: "silent" in state ? state.silent : "" };
  const { initialized, sealed, progress, version, storageType: storage, clusterId } = node.state;
  const told = { name, progress, version, storage, clusterId };
  if (!initialized) return { ...told, state: "uninitialised" };
  if (sealed) return { ...told, state: "sealed" };
  const health = await node.admin.health().catch(() => undefined);
  return { ...told, state: health === "active" || health === "standby" ? health : "unsealed" };
}

function secretStatus(phase: SecretPhase): SecretStatus {
  switch (phase.phase) {
    case "absent":
    case "empty":
      return { phase: phase.phase };
    case "reserved":
    case "initialising":
    case "resetting":
      return {
        phase: phase.phase,
        holder: phase.holder,
        since: new Date(phase.sinceMs).toISOString(),
      };
    case "foreign":
      return phase;
    case "initialised":
      return {
        phase: "initialised",
        shares: phase.shares.length,
        threshold: phase.threshold,
        rootToken: phase.rootToken !== undefined,
        encryption: phase.encryption,
        clusterId: phase.clusterId,
        initialisedAt: new Date(phase.createdMs).toISOString(),
      };
  }
}
