import type { VaultAdministration } from "@svc/vault";
import { BootstrapError } from "../bootstrap-error.ts";
import { findActive } from "../nodes/active-node.ts";
import { awaitStanding } from "../nodes/await-standing.ts";
import { sharesAtHand } from "../nodes/shares-at-hand.ts";
import {
  answers,
  isOpen,
  type LookAtNodes,
  type SeenNode,
  storeNodes,
  whyNoNodes,
} from "../nodes/store-nodes.ts";
import type { Progress, RunOutcome } from "../progress.ts";
import { requireProof } from "../reset/reset-store.ts";
import { dummyKeys } from "../secret/create-keys.ts";
import type { KeyWork } from "../secret/key-work.ts";
import { nextStep } from "../secret/next-step.ts";
import { parsePhase } from "../secret/parse-phase.ts";
import { plainOfStored } from "../secret/plain-keys.ts";
import { rehearseWrite } from "../secret/rehearse-write.ts";
import { retryUnreachable } from "../secret/retry-unreachable.ts";
import type { SecretClient, SecretObject } from "../secret/secret-object.ts";
import type { Initialising, Resetting, StoredKeys } from "../secret/secret-phase.ts";
import { writePhase } from "../secret/write-phase.ts";
import { writtenOver } from "../secret/written-over.ts";
import type { BootstrapSettings } from "../settings.ts";
import { requireShamir } from "../store/initialise-store.ts";
import type { InitTools } from "../tools/init-tools.ts";
import { chooseToken } from "./choose-token.ts";
import { digestOf } from "./digest-of.ts";
import type { LoadedFiles } from "./load-files.ts";
import { stepsOf } from "./set-up-steps.ts";
import { type SetUpRequest, setUpStore } from "./set-up-store.ts";

const PATIENCE = { deadlineMs: 30_000, intervalMs: 250 };

/**
 * Reports the planned changes of `initStore`, and changes nothing. In a sealed store the set-up
 * cannot be read: those steps are skipped.
 *
 * @throws BootstrapError and VaultError if `initStore` would
 */
export async function rehearseInit(
  settings: BootstrapSettings,
  files: LoadedFiles,
  tools: Omit<InitTools, "deferSignals">,
): Promise<void> {
  const { store, outputSecret: name } = settings;
  const { cluster, administer, progress, holder } = tools;
  const secret = cluster.secret({ namespace: store.namespace, name });
  const look = storeNodes(cluster, store, administer);
  const until = performance.now() + settings.waitMs;
  const waiting = { look, whyNone: whyNoNodes(cluster, store), progress, store, until };
  const { standing, nodes } = await awaitStanding(waiting);
  const seen = await retryUnreachable(() => secret.read(), PATIENCE);
  const run = { holder, nowMs: Date.now(), mayReset: settings.resetUnfinished };
  const next = nextStep({ secret: parsePhase(seen), store: standing, run });
  switch (next.step) {
    case "stop":
      throw new BootstrapError(next.code, `use ${secret.name}: ${next.found}`);
    case "reset":
      await rehearseReset(next.held, settings, { ...tools, secret, look });
      break;
    case "reserve":
    case "initialise":
      for (const { admin, state } of nodes.filter(answers)) requireShamir(admin, state);
      break;
    case "unseal":
      progress.end({ step: "initialise" }, { outcome: "unchanged" });
      requireShares(secret.name, next.keys, nodes);
      rehearseOpening(progress, nodes);
      return rehearseSetUp(settings, files, { ...tools, secret, nodes, stored: next.keys });
  }
  await rehearseKeys(secret, seen, { shamir: settings.shamir, encryption: files.encryption });
  progress.end({ step: "initialise" }, { outcome: "created" });
  rehearseOpening(progress, next.step === "reset" ? nodes.map(asEmptied) : nodes);
  endSetUp(progress, settings, "created");
}

/** The node after a reset, which makes every pod as new. */
function asEmptied(node: SeenNode): SeenNode {
  if (!answers(node)) return node;
  return { ...node, state: { ...node.state, initialized: false, sealed: true } };
}

type ResetRehearsal = Pick<InitTools, "cluster" | "progress"> & {
  readonly secret: SecretClient;
  readonly look: LookAtNodes;
};

async function rehearseReset(
  lost: Initialising | Resetting,
  { store, dataClaim }: BootstrapSettings,
  { cluster, progress, secret, look }: ResetRehearsal,
): Promise<void> {
  const sources = { cluster, look, namespace: store.namespace, dataClaim, secret };
  const { pod } = await requireProof(lost, sources);
  progress.end({ step: "reset", target: pod.name }, { outcome: "updated" });
}

async function rehearseKeys(
  secret: SecretClient,
  seen: SecretObject | undefined,
  work: Pick<KeyWork, "shamir" | "encryption">,
): Promise<void> {
  const keys = writePhase(await dummyKeys(work, Date.now()));
  const content = seen === undefined ? keys : writtenOver(keys, seen);
  const rehearsal = { content, revision: seen?.revision, isDummy: true };
  await retryUnreachable(() => rehearseWrite(secret, rehearsal), PATIENCE);
}

function requireShares(name: string, stored: StoredKeys, nodes: readonly SeenNode[]): void {
  const shares = sharesAtHand(name, stored, plainOfStored(stored));
  if (shares instanceof Error && !nodes.every(isOpen)) throw shares;
}

function rehearseOpening(progress: Progress, nodes: readonly SeenNode[]): void {
  const isNew = !nodes.some((node) => answers(node) && node.state.initialized);
  for (const [place, node] of nodes.entries()) {
    const target = node.name;
    // In a new store the first pod is initialised, and the others join it.
    const joins = answers(node) && !node.state.initialized && !(isNew && place === 0);
    if (joins && node.state.storageType === "raft") {
      progress.end({ step: "join", target }, { outcome: "created" });
    }
    progress.end({ step: "unseal", target }, { outcome: isOpen(node) ? "unchanged" : "updated" });
  }
}

interface SetUpRehearsal extends Pick<InitTools, "progress" | "token"> {
  readonly secret: SecretClient;
  readonly nodes: readonly SeenNode[];
  readonly stored: StoredKeys;
}

async function rehearseSetUp(
  settings: BootstrapSettings,
  files: LoadedFiles,
  { progress, token: given, secret, nodes, stored }: SetUpRehearsal,
): Promise<void> {
  const active = await findActive(nodes.filter(isOpen));
  const token = active && (await chooseFor(active));
  if (active === undefined || token === undefined) return endSetUp(progress, settings, "skipped");
  await setUpStore({ admin: active, token, dryRun: true }, requestOf(settings, files), progress);

  function chooseFor(admin: VaultAdministration) {
    const { rootToken } = plainOfStored(stored);
    const configured = digestOf(requestOf(settings, files));
    return chooseToken(admin, {
      given,
      kept: { stored, rootToken, name: secret.name },
      configured,
    });
  }
}

function endSetUp(
  progress: Progress,
  settings: Pick<BootstrapSettings, "hints">,
  outcome: RunOutcome,
): void {
  for (const step of stepsOf(settings)) progress.end({ step }, { outcome });
}

function requestOf(settings: BootstrapSettings, { review }: LoadedFiles): SetUpRequest {
  return { ...settings, review };
}
