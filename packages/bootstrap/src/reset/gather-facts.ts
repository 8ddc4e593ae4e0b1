import { BootstrapError } from "../bootstrap-error.ts";
import type { KubernetesCluster } from "../kubernetes/connect-kubernetes.ts";
import type { LookAtNodes } from "../nodes/store-nodes.ts";
import { retryUnreachable } from "../secret/retry-unreachable.ts";
import type { Initialising, Resetting, SecretPhase } from "../secret/secret-phase.ts";
import type { ResetFacts } from "./judge-reset.ts";

const PATIENCE = { deadlineMs: 30_000, intervalMs: 250 };

/** The sources of the facts. */
export interface FactSources {
  readonly cluster: KubernetesCluster;
  readonly look: LookAtNodes;
  readonly namespace: string;
  /** The prefix of the pod's name in the name of its data claim. */
  readonly dataClaim: string;
  readonly now?: () => number;
}

/**
 * Looks at everything that a reset is judged by.
 * @throws BootstrapError `KUBERNETES_*`
 */
export async function gatherFacts(secret: SecretPhase, sources: FactSources): Promise<ResetFacts> {
  const { look, now = Date.now } = sources;
  const isLost = secret.phase === "initialising" || secret.phase === "resetting";
  const nodes = await look();
  const claim = isLost ? await claimOf(secret, sources) : undefined;
  const beside = isLost ? await besideOf(secret, sources) : "none";
  return { secret, nodes, claim, beside, nowMs: now() };
}

type Lost = Initialising | Resetting;

function claimOf({ pod }: Lost, { cluster, namespace, dataClaim }: FactSources) {
  const name = `${dataClaim}-${pod.name}`;
  return retryUnreachable(() => cluster.claim({ namespace, name }), PATIENCE);
}

async function besideOf(
  secret: Lost,
  { cluster, namespace }: FactSources,
): Promise<ResetFacts["beside"]> {
  const name = secret.phase === "initialising" ? secret.beside : undefined;
  if (name === undefined) return "none";
  try {
    const secret = cluster.secret({ namespace, name });
    const found = await retryUnreachable(() => secret.read(), PATIENCE);
    return found === undefined ? "absent" : "present";
  } catch (error) {
    if (error instanceof BootstrapError && error.code === "KUBERNETES_DENIED") return "unknown";
    throw error;
  }
}
