import { flagOnly, parseFilePath, parseGoBoolean, parsePlainText } from "@svc/settings";
import { parseObjectName } from "../annotations/parse-names.ts";
import { parseApiServer } from "./parse-api-server.ts";

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
    meaning: "Its context; its current one unless given.",
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
  keepStatus: flagOnly({
    name: "--keep-status",
    group,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "Keeps the status of SvcConfigs and tells events of them. Where a cluster has several operators, one does: two of different settings would take turns for ever.",
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
