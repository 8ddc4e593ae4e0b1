import {
  accepted,
  flagOnly,
  type Parsed,
  parseDurationBetween,
  parsePlainText,
  parseServerUrl,
  refused,
  variable,
  vaultTlsVariables,
} from "@svc/settings";
import { parseNamespaceName, parsePodPrefix, parseReleaseName, parseSecretName } from "./names.ts";

/** Parses KUBECONFIG: paths with `:` between them, empty ones left out as kubectl does. */
export function parseKubeconfigPaths(text: string): Parsed<readonly string[]> {
  const paths = text.split(":").filter((path) => path !== "");
  if (paths.length > 0 && paths.every((path) => parsePlainText(path).ok)) return accepted(paths);
  return refused("paths of kubeconfig files with : between them");
}

const group = "Secret store";

/** The address of the store, and the place of its keys. */
export const storeVariables = {
  storeAddress: variable({
    name: "STORE_ADDR",
    group,
    type: "URL",
    requiredness: "yes",
    parse: parseServerUrl,
    meaning:
      "Address of the secret store's service. Must include scheme and port, also if the port is 443.",
  }),
  namespace: variable({
    name: "STORE_NAMESPACE",
    flag: "namespace",
    group,
    type: "name",
    requiredness: "yes",
    parse: parseNamespaceName,
    meaning: "Kubernetes namespace that the store is in.",
  }),
  releaseName: variable({
    name: "STORE_RELEASE_NAME",
    flag: "release-name",
    group,
    type: "name",
    requiredness: "yes",
    parse: parseReleaseName,
    meaning:
      "Name of the store's Helm release: its pods have it in their label `app.kubernetes.io/instance`. If no pod has that label, the pods `<release>-<n>` are the store's.",
  }),
  podPrefix: variable({
    name: "STORE_POD_PREFIX",
    flag: "pod-prefix",
    group,
    type: "name",
    parse: parsePodPrefix,
    meaning:
      "Prefix of the names of the store's pods, which are `<prefix>-<n>`. Set it if the label of the release does not tell them from other pods.",
  }),
  outputSecret: variable({
    name: "BOOTSTRAP_OUTPUT_SECRET",
    flag: "output-secret",
    group,
    type: "name",
    default: "svc-vault-init",
    parse: parseSecretName,
    meaning:
      "Name of the Kubernetes Secret, in the store's namespace, that keeps the key shares and the root token.",
  }),
};

/** How the store's certificate is verified, for its service and for each of its pods. */
export const tlsVariables = vaultTlsVariables("TLS to the store", "store");

const clusterGroup = "Kubernetes API";

/** How the cluster that has the store's pods and the output Secret is reached. */
export const clusterVariables = {
  kubeconfig: variable({
    name: "KUBECONFIG",
    flag: "kubeconfig",
    group: clusterGroup,
    type: "files",
    parse: parseKubeconfigPaths,
    meaning:
      "Kubeconfig files with `:` between them. Unset, a pod uses its service account, and other processes `~/.kube/config`.",
  }),
  context: flagOnly({
    name: "--context",
    group: clusterGroup,
    type: "name",
    parse: parsePlainText,
    meaning: "Context of the kubeconfig; by default the current one.",
  }),
  waitMs: variable({
    name: "BOOTSTRAP_WAIT",
    flag: "wait",
    group: clusterGroup,
    type: "duration",
    default: "5m",
    parse: parseDurationBetween({ least: "0s", most: "1h" }),
    meaning:
      "How long to wait for the store's pods, and for another run to end. It begins again once the run has the keys. From 0s to 1h.",
  }),
};
