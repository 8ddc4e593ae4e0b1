import type { ClusterView, Manifest } from "../cluster/cluster-view.ts";
import { findWrappers } from "../cluster/find-wrappers.ts";
import { plain } from "../cluster/told-secrets.ts";
import type { ContainerState } from "./container-state.ts";
import { type PodStory, worstFirst } from "./pod-story.ts";

/** Where reasons come from. */
export interface ReasonSource {
  readonly cluster: Pick<ClusterView, "wrapperState" | "podWarnings">;
  readonly namespace: string;
  /** Takes things that could not be looked at. */
  readonly open: string[];
}

/** Others have the same reason, or a better state. */
const MOST_ASKED = 5;
const LONGEST_REASON = 1000;

/**
 * Adds to pods that wait the words of their wrappers, which run before the program does, and of
 * the node's last warning. Others stay as they are.
 */
export async function withReasons(
  stories: readonly PodStory[],
  pods: readonly Manifest[],
  source: ReasonSource,
): Promise<readonly PodStory[]> {
  const waiting = worstFirst(stories)
    .filter(({ standing }) => standing === "waits" || standing === "fails")
    .slice(0, MOST_ASKED);
  return await Promise.all(
    stories.map(async (story) => {
      const pod = pods.find(({ metadata }) => Object(metadata).name === story.name);
      return pod === undefined || !waiting.includes(story) ? story : reasoned(story, pod, source);
    }),
  );
}

async function reasoned(story: PodStory, pod: Manifest, source: ReasonSource): Promise<PodStory> {
  const containers = await Promise.all(
    story.containers.map((state) => (state.isStarting ? asked(state, pod, source) : state)),
  );
  const isNodes = containers.some(
    ({ standing, isStarting }) => standing === "waits" && !isStarting,
  );
  const reason =
    story.reason === "" && isNodes ? await warningOf(story.name, source) : story.reason;
  return { ...story, reason, containers };
}

async function asked(
  state: ContainerState,
  pod: Manifest,
  { cluster, namespace, open }: ReasonSource,
): Promise<ContainerState> {
  const wrapper = findWrappers([pod]).find(({ container }) => container === state.name);
  if (wrapper?.proxied === undefined) return state;
  const told = await cluster.wrapperState(namespace, wrapper.proxied);
  if (!told.ok) {
    open.push(`why the program of ${wrapper.pod} does not run: ${told.found}`);
    return state;
  }
  const { reason } = Object(told.value);
  if (typeof reason !== "string" || reason === "") return state;
  return { ...state, text: `${state.text}: ${plain(reason).slice(0, LONGEST_REASON)}` };
}

async function warningOf(pod: string, { cluster, namespace, open }: ReasonSource): Promise<string> {
  const warnings = await cluster.podWarnings(namespace, pod);
  if (!warnings.ok) {
    open.push(`the events of ${pod}: ${warnings.found}`);
    return "";
  }
  const last = warnings.value.toSorted((a, b) => timeOf(a) - timeOf(b)).at(-1);
  if (last === undefined) return "";
  const { reason, message } = last;
  return plain(`${String(reason)}: ${String(message)}`).slice(0, LONGEST_REASON);
}

/** Events of either API have one of these times. */
function timeOf({ lastTimestamp, eventTime, metadata }: Manifest): number {
  const { creationTimestamp } = Object(metadata);
  const ms = Date.parse(String(lastTimestamp ?? eventTime ?? creationTimestamp));
  return Number.isNaN(ms) ? 0 : ms;
}
