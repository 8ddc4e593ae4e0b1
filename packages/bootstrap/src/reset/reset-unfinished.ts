import { BootstrapError } from "../bootstrap-error.ts";
import { storeNodes } from "../nodes/store-nodes.ts";
import { parsePhase } from "../secret/parse-phase.ts";
import { reserveSecret } from "../secret/reserve-secret.ts";
import { retryUnreachable } from "../secret/retry-unreachable.ts";
import type { SecretClient } from "../secret/secret-object.ts";
import type { ResetSettings } from "../settings.ts";
import type { InitTools } from "../tools/init-tools.ts";
import { type ResetTools, requireProof, resetStore } from "./reset-store.ts";

const PATIENCE = { deadlineMs: 30_000, intervalMs: 250 };

/** The deleted objects, or those to delete. */
export interface ResetOutcome {
  readonly pod: string;
  readonly claim: string;
}

/**
 * Resets a store whose initialisation has lost its keys, or only proves that it may be if
 * `settings.delete` is not set.
 *
 * @throws BootstrapError `RESET_REFUSED`, `KUBERNETES_*`
 */
export async function resetUnfinished(
  settings: ResetSettings,
  { cluster, administer, progress, holder }: Omit<InitTools, "deferSignals" | "token">,
): Promise<ResetOutcome> {
  const { store, outputSecret: name, dataClaim, settleMs } = settings;
  const { namespace } = store;
  const secret = cluster.secret({ namespace, name });
  const look = storeNodes(cluster, store, administer);
  const tools = { cluster, look, namespace, dataClaim, secret, progress, holder, settleMs };
  const seen = await retryUnreachable(() => secret.read(), PATIENCE);
  const phase = parsePhase(seen);
  const { pod, claim } = await requireProof(phase, tools);
  const outcome = { pod: pod.name, claim: claim.name };
  if (!settings.delete || seen === undefined) return outcome;
  if (phase.phase !== "initialising" && phase.phase !== "resetting") return outcome;
  if (!(await resetStore(phase, seen, tools))) throw changedMeanwhile(secret);
  await release(tools);
  return outcome;
}

function changedMeanwhile({ name }: SecretClient): BootstrapError {
  const message = `reset the store of ${name}: another run has changed the Secret: nothing was deleted`;
  return new BootstrapError("RESET_REFUSED", message);
}

/** The next run need not wait for this one. */
async function release({ secret, holder }: ResetTools): Promise<void> {
  const seen = await retryUnreachable(() => secret.read(), PATIENCE);
  const phase = parsePhase(seen);
  if (phase.phase !== "resetting" || phase.holder !== holder) return;
  await reserveSecret(secret, seen, { ...phase, sinceMs: 0 });
}
