import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TestingError } from "@svc/testing";

/** The facts that stories get about the cluster that they run in. */
export interface ClusterState {
  /** The folder of the cluster's keys and settings. */
  readonly settings: string;
  /** The folder of the servers' logs. */
  readonly logs: string;
  /** The API server's address. */
  readonly address: string;
  /** The authority of the API server's, the kubelet's and the registry's certificates. */
  readonly caPem: string;
  /** Its file. */
  readonly caFile: string;
  /** The administrator's token. */
  readonly token: string;
  /** The administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** The host and port of the registry, as nodes and pods name it. */
  readonly registry: string;
}

/** The variable with the path of the state. */
export const STATE_VARIABLE = "SVC_CLUSTER_STATE";

/** The state of the cluster that this process runs in; throws `SERVER_FAILED` outside of one. */
export function clusterState(): ClusterState {
  const path = process.env[STATE_VARIABLE];
  if (path !== undefined) return JSON.parse(readFileSync(path, "utf8"));
  throw new TestingError("SERVER_FAILED", "find the cluster: this runs in none", {
    hint: "run: make e2e-cluster, or: bun e2e/cluster/run-in-cluster.ts COMMAND…",
  });
}

/** The path of the written state. */
export function statePath(folder: string): string {
  return join(folder, "state.json");
}
