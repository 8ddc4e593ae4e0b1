/** `@svc/kubernetes`: reaches the API server of a cluster. */
export { chooseAccess, type NamedCluster } from "./choose-access.ts";
export type { ClusterAccess } from "./cluster-access.ts";
export {
  type ApiRequest,
  connectApi,
  type KubernetesApi,
  type WatchRequest,
} from "./connect-api.ts";
export { type KubernetesErrorCode, kubernetesErrorCatalogue } from "./error-catalogue.ts";
export { type Follower, type FollowOptions, followList, type ObjectSink } from "./follow-list.ts";
export { KubernetesError } from "./kubernetes-error.ts";
export { type ListedObjects, type ListRequest, listObjects, listPages } from "./list-objects.ts";
export { loadClient, loginOf } from "./load-client.ts";
export { METADATA_LIST, type MetadataList, parseMetadataList } from "./metadata-list.ts";
export type { NamespaceBounds } from "./object-store.ts";
export { readBounded } from "./read-bounded.ts";
export { type ObjectMetadata, readMetadata } from "./read-metadata.ts";
export { type Asked, errorOf, type Refusal, readRefusal } from "./refusal.ts";
export { type SentRequest, sendRequest, unreachable } from "./send-request.ts";
export type { WatchEvent } from "./watch-events.ts";
export { type ObjectWatch, type ObjectWatchOptions, watchObjects } from "./watch-objects.ts";
