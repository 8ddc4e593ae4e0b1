import type { KubernetesObject, KubernetesTarget } from "@svc/testing";
import { type ClusterState, clusterState } from "./cluster-state.ts";
import { runTool, type ToolEnded, tryTool } from "./run-tool.ts";

/** The cluster that stories run in, as its administrator. */
export interface StoryCluster {
  readonly state: ClusterState;
  readonly target: KubernetesTarget;
  /** Runs kubectl; throws `BAD_ANSWER` with its complaint. */
  readonly kubectl: (...words: readonly string[]) => Promise<string>;
  /** Runs kubectl, and does not judge how it ends. */
  readonly tryKubectl: (...words: readonly string[]) => Promise<ToolEnded>;
  /** Makes or changes objects. */
  readonly apply: (...objects: readonly KubernetesObject[]) => Promise<void>;
  /** As `apply`, for objects that the server must refuse: gives how kubectl ended. */
  readonly tryApply: (...objects: readonly KubernetesObject[]) => Promise<ToolEnded>;
  /** The JSON that `kubectl get` prints. */
  readonly get: <T>(...words: readonly string[]) => Promise<T>;
}

/** Throws `SERVER_FAILED` if this process is in no cluster. */
export function storyCluster(): StoryCluster {
  const state = clusterState();
  const { address, caPem, token } = state;
  const tryKubectl = (...words: readonly string[]) => tryTool(["kubectl", ...words]);
  const kubectl = (...words: readonly string[]) => runTool(["kubectl", ...words]);
  const applyWords = ["kubectl", "apply", "--server-side", "--force-conflicts", "-f", "-"];
  return {
    state,
    target: { address, caPem, token },
    kubectl,
    tryKubectl,
    apply: async (...objects) => {
      await runTool(applyWords, { input: listOf(objects) });
    },
    tryApply: (...objects) => tryTool(applyWords, { input: listOf(objects) }),
    get: async (...words) => JSON.parse(await kubectl("get", ...words, "-o", "json")),
  };
}

function listOf(items: readonly KubernetesObject[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}
