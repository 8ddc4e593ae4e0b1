import { flagOnly, parseDurationBetween, parsePlainText, variable } from "@svc/settings";
import { parseKubeconfigPaths } from "./kubeconfig-paths.ts";

const group = "Kubernetes API";

/** How the cluster that has the store's pods and the output Secret is reached. */
export const clusterVariables = {
  kubeconfig: variable({
    name: "KUBECONFIG",
    flag: "kubeconfig",
    group,
    type: "files",
    parse: parseKubeconfigPaths,
    meaning:
      "Kubeconfig files with `:` between them. Unset, a pod uses its service account, and everybody else `~/.kube/config`.",
  }),
  context: flagOnly({
    name: "--context",
    group,
    type: "name",
    parse: parsePlainText,
    meaning: "Context of the kubeconfig; its current one unless given.",
  }),
  waitMs: variable({
    name: "BOOTSTRAP_WAIT",
    flag: "wait",
    group,
    type: "duration",
    default: "5m",
    parse: parseDurationBetween({ least: "0s", most: "1h" }),
    meaning: "How long to wait for the store's pods, and for another run to end. From 0s to 1h.",
  }),
};
