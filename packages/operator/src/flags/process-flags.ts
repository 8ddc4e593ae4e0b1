import {
  flagOnly,
  parseDurationBetween,
  parseFilePath,
  parseGoBoolean,
  parseListenAddress,
  parseOneOf,
  parsePlainText,
} from "@svc/settings";
import { parseObjectName } from "../annotations/parse-names.ts";
import { parseApiServer, parseCount } from "./parse-values.ts";

const group = "Kubernetes API";

/** How the API server is reached, and the names of the operator's own objects. */
export const clusterFlags = {
  server: flagOnly({
    name: "--kubernetes-server",
    group,
    type: "url",
    default: "https://kubernetes.default.svc",
    parse: parseApiServer,
    meaning:
      "The API server, which is asked with the files of the pod's service account. The operator does not read KUBERNETES_SERVICE_HOST.",
  }),
  kubeconfig: flagOnly({
    name: "--kubeconfig",
    group,
    type: "file",
    parse: parseFilePath,
    meaning: "Kubeconfig to use instead, outside of a cluster.",
  }),
  context: flagOnly({
    name: "--context",
    group,
    type: "name",
    parse: parsePlainText,
    meaning: "Its context; by default the current one.",
  }),
  namespace: flagOnly({
    name: "--namespace",
    group,
    type: "name",
    parse: parseObjectName,
    meaning: "The operator's namespace. Unset: that of the service account's files.",
  }),
  lease: flagOnly({
    name: "--lease",
    group,
    type: "name",
    default: "svc-operator",
    parse: parseObjectName,
    meaning:
      "Lease in the operator's namespace by which one replica is chosen to keep the certificate and the status of SvcConfigs.",
  }),
  imageSecret: flagOnly({
    name: "--image-secret",
    group,
    type: "name",
    parse: parseObjectName,
    meaning:
      "Secret in the operator's namespace in which the replicas share the commands of images, so that not each of them asks a registry. Unset, each replica asks for itself. The chart makes the Secret.",
  }),
  keepStatus: flagOnly({
    name: "--keep-status",
    group,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "Writes the status of SvcConfigs and events about them. If a cluster has several operators, set it for one: two with different settings would overwrite each other for ever.",
  }),
  countPods: flagOnly({
    name: "--count-pods",
    group,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "Counts the running pods of each SvcConfig, for its status. It needs the right to list and to watch pods.",
  }),
};

const servingGroup = "Serving";

/** How the API server's questions are answered. */
export const servingFlags = {
  listen: flagOnly({
    name: "--listen-addr",
    group: servingGroup,
    type: "address",
    default: ":8443",
    parse: parseListenAddress,
    meaning:
      "Address of the webhook, /healthz, /readyz and /metrics, all by HTTPS: HOST:PORT or :PORT.",
  }),
  inFlight: flagOnly({
    name: "--max-in-flight",
    group: servingGroup,
    type: "number",
    default: "256",
    parse: parseCount({ least: 1, most: 10_000 }),
    meaning:
      "Admission requests that the operator answers at one time; four times as many may wait.",
  }),
  lingerMs: flagOnly({
    name: "--shutdown-delay",
    group: servingGroup,
    type: "duration",
    default: "5s",
    parse: parseDurationBetween({ least: "0s", most: "5m" }),
    meaning:
      "How long the operator still takes requests after SIGTERM, while /readyz reports that it stops. The API server learns late that a pod is gone.",
  }),
  graceMs: flagOnly({
    name: "--shutdown-grace",
    group: servingGroup,
    type: "duration",
    default: "15s",
    parse: parseDurationBetween({ least: "0s", most: "5m" }),
    meaning: "How long open requests may take after that.",
  }),
  logLevel: flagOnly({
    name: "--log-level",
    group: servingGroup,
    type: "level",
    default: "info",
    parse: parseOneOf(["info", "warn", "error"]),
    meaning:
      "Least level of the lines on standard error: `info` has one for every pod, `warn` one for those that are refused.",
  }),
};

const permitGroup = "Rotation permits";

/** How the rotations of a workload's pods are put one after the other. */
export const permitFlags = {
  permits: flagOnly({
    name: "--rotation-permits",
    group: permitGroup,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "Pods that are rotated by a restart ask the operator first: no more pods of a workload are away at once than its own strategy allows. It needs the rights to read pods, workloads and PodDisruptionBudgets, and to review tokens.",
  }),
  permitsListen: flagOnly({
    name: "--permits-listen-addr",
    group: permitGroup,
    type: "address",
    default: ":8444",
    parse: parseListenAddress,
    meaning:
      "Address at which pods ask, by HTTPS: HOST:PORT or :PORT. They call the port of the same number at the service of --service.",
  }),
  permitsSecret: flagOnly({
    name: "--permits-secret",
    group: permitGroup,
    type: "name",
    default: "svc-operator-permits-tls",
    parse: parseObjectName,
    meaning:
      "Secret in the operator's namespace with the certificate that pods verify the operator by. The operator makes the certificate, for ten years.",
  }),
};
