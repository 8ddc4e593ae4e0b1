import { BootstrapError } from "../bootstrap-error.ts";
import type { Progress } from "../progress.ts";
import { type StoreStanding, storeStanding } from "../secret/store-standing.ts";
import type { StatusSettings } from "../settings.ts";
import { answers, type LookAtNodes, type SeenNode, type Silence } from "./store-nodes.ts";

const INTERVAL_MS = 500;

/** The inputs of the wait. */
export interface Waiting {
  readonly look: LookAtNodes;
  /** Describes the existing pods if no pod was found. */
  readonly whyNone: () => Promise<string>;
  readonly progress: Progress;
  /** The owner of the pods, for messages. */
  readonly store: StatusSettings["store"];
  /** When to give up, on the clock of `performance.now`. */
  readonly until: number;
}

/** The standing of a store, and its pods as they were seen then. */
export interface SeenStore {
  readonly standing: StoreStanding;
  readonly nodes: readonly SeenNode[];
}

/**
 * Waits until the pods say where the store stands.
 * @throws BootstrapError `PODS_NOT_READY`, `KUBERNETES_*`
 * @throws VaultError `TLS`
 */
export async function awaitStanding(waiting: Waiting): Promise<SeenStore> {
  const { look, progress, store, until } = waiting;
  for (;;) {
    const nodes = await look();
    const standing = standingOf(nodes);
    if (!("missing" in standing)) return { standing, nodes };
    const untrusted = nodes.find(isUntrusted);
    // A certificate that is not trusted does not become valid by waiting.
    if (untrusted?.state.failure !== undefined) throw untrusted.state.failure;
    if (performance.now() >= until) {
      const found = nodes.length === 0 ? await waiting.whyNone() : standing.missing;
      const asked = `ask the store's pods in namespace "${store.namespace}"`;
      throw new BootstrapError("PODS_NOT_READY", `${asked}: ${found}`);
    }
    progress.waiting(standing.missing);
    await Bun.sleep(INTERVAL_MS);
  }
}

function isUntrusted(node: SeenNode): node is SeenNode & { readonly state: Silence } {
  return "silent" in node.state && node.state.failure?.code === "TLS";
}

/**
 * The state of a store according to its pods, or the missing facts. One pod that is initialised is
 * enough. A store counts as not initialised only if every pod says so, from the first one on. A
 * silent one may have the disk of an initialised store, and its other pods, with new disks, would
 * say the same.
 */
export function standingOf(
  nodes: readonly SeenNode[],
): StoreStanding | { readonly missing: string } {
  if (nodes.length === 0) return { missing: "there is none" };
  const states = nodes.filter(answers).map(({ state }) => state);
  if (states.some(({ initialized }) => initialized)) return storeStanding(states);
  const silent = nodes.flatMap(({ name, state }) =>
    "silent" in state ? [`${name} ${state.silent}`] : [],
  );
  if (silent.length > 0) return { missing: silent.join("; ") };
  const absent = nodes.find(({ pod }, place) => pod.index !== place);
  if (absent !== undefined) return { missing: `one before ${absent.name} is not there` };
  return storeStanding(states);
}
