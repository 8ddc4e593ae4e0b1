import { BootstrapError } from "../bootstrap-error.ts";
import type { Progress } from "../progress.ts";
import { retryUnreachable } from "../secret/retry-unreachable.ts";
import type { SecretClient, SecretObject } from "../secret/secret-object.ts";
import type { Initialising, Resetting } from "../secret/secret-phase.ts";
import { writePhase } from "../secret/write-phase.ts";
import { writtenOver } from "../secret/written-over.ts";
import { type FactSources, gatherFacts } from "./gather-facts.ts";
import { judgeReset, type ResetVerdict } from "./judge-reset.ts";

const PATIENCE = { deadlineMs: 30_000, intervalMs: 250 };

/** The inputs of a reset. */
export interface ResetTools extends FactSources {
  readonly secret: SecretClient;
  readonly progress: Progress;
  /** Names this run and no other. */
  readonly holder: string;
  /** How long the proof has to hold: a kubelet reports a restart some seconds late. */
  readonly settleMs: number;
}

/**
 * Deletes the pod and the disk of a store whose keys are lost. It writes each step into the Secret
 * before it takes it, so that it can be killed at any point and run again:
 *
 * 1. It proves that the store holds nothing (`judgeReset`), twice, with `settleMs` in between.
 * 2. It notes the reset in the Secret, only if the Secret is as it was read. From then on keys
 * that a run
 *    still has in hand are void; keys that were stored first win.
 * 3. It proves it again, and deletes the claim and the pod that it has noted, and no later ones of
 * their names.
 *
 * False if another run has changed the Secret meanwhile.
 *
 * @throws BootstrapError `RESET_REFUSED`, `KUBERNETES_*`
 */
export async function resetStore(
  lost: Initialising | Resetting,
  seen: SecretObject,
  tools: ResetTools,
): Promise<boolean> {
  const { secret, progress, cluster, namespace, settleMs } = tools;
  await requireProof(lost, tools);
  progress.waiting(`nothing to change at ${lost.pod.name} for ${settleMs} ms`);
  await Bun.sleep(settleMs);
  const resetting = noteOf(lost, await requireProof(lost, tools), tools);
  if (!(await note(secret, seen, resetting))) return false;
  const { pod, claim } = await requireProof(resetting, tools);
  await progress.step({ step: "reset", target: pod.name }, async () => {
    await retryUnreachable(() => cluster.deleteClaim({ namespace, ...claim }), PATIENCE);
    await retryUnreachable(() => cluster.deletePod({ namespace, ...pod }), PATIENCE);
    return { outcome: "updated" };
  });
  return true;
}

type Proof = Extract<ResetVerdict, { readonly verdict: "delete" }>;

/**
 * The objects that a reset would delete.
 * @throws BootstrapError `RESET_REFUSED` with everything that speaks against it
 */
export async function requireProof(
  lost: Parameters<typeof gatherFacts>[0],
  tools: FactSources & Pick<ResetTools, "secret">,
): Promise<Proof> {
  const verdict = judgeReset(await gatherFacts(lost, tools));
  if (verdict.verdict === "delete") return verdict;
  const message = `reset the store of ${tools.secret.name}: ${verdict.reasons.join("; ")}`;
  throw new BootstrapError("RESET_REFUSED", message);
}

function noteOf(
  { phase, resets }: Initialising | Resetting,
  { pod, claim }: Proof,
  { holder, now = Date.now }: ResetTools,
): Resetting {
  const counted = phase === "initialising" ? resets + 1 : resets;
  return { phase: "resetting", holder, sinceMs: now(), resets: counted, pod, claim };
}

/** A lost answer counts as a refusal: the next look shows whether it arrived. */
async function note(
  secret: SecretClient,
  seen: SecretObject,
  resetting: Resetting,
): Promise<boolean> {
  const content = writtenOver(writePhase(resetting), seen);
  try {
    return (await secret.replace(content, seen.revision)) === "written";
  } catch (error) {
    if (error instanceof BootstrapError && error.code === "KUBERNETES_UNREACHABLE") return false;
    throw error;
  }
}
