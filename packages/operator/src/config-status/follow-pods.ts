import { type Follower, type FollowOptions, followList, type KubernetesApi } from "@svc/kubernetes";
import { injectedLabel } from "../inject/marker.ts";
import { podTally } from "./pod-tally.ts";

/** The running pods that have a wrapper. */
export interface PodFollower extends Pick<Follower, "stop"> {
  /** By `namespace/name` of their SvcConfig; undefined until all of them were listed. */
  readonly counts: () => ReadonlyMap<string, number> | undefined;
}

/** The receiver. */
export interface PodListeners {
  /** After all pods were listed. */
  readonly onListed: () => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * A pod has 3 kB of metadata: a page is parsed in a millisecond, in which nothing else is answered.
 */
const PAGE = 16;
/**
 * It returns the parser's memory meanwhile: without it 100,000 pods take 100 MB more for a moment.
 */
const PAGE_PAUSE_MS = 4;

/**
 * Follows the running pods of a cluster that have a wrapper: lists them once, of each the metadata
 * alone, and watches.
 */
export function followPods(
  api: KubernetesApi,
  prefix: string,
  { onListed, onFailure }: PodListeners,
): PodFollower {
  const tally = podTally(prefix);
  const options: FollowOptions = {
    path: "/api/v1/pods",
    labelSelector: injectedLabel(prefix).join("="),
    fieldSelector: "status.phase=Running",
    operation: "count the pods of SvcConfigs",
    page: PAGE,
    pagePauseMs: PAGE_PAUSE_MS,
    metadataOnly: true,
    goesOn: true,
    onFailure,
  };
  const end = () => {
    tally.end();
    onListed();
  };
  const follower = followList(api, options, { ...tally, end });
  return {
    counts: () => (follower.isSynced() ? tally.counts() : undefined),
    stop: follower.stop,
  };
}
