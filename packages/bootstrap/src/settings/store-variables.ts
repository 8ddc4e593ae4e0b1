import { parseServerUrl, variable } from "@svc/settings";
import {
  parseNamespaceName,
  parsePodPrefix,
  parseReleaseName,
  parseSecretName,
} from "./kubernetes-name.ts";

const group = "Secret store";

/** Where the store is, and where its keys are. */
export const storeVariables = {
  storeAddress: variable({
    name: "STORE_ADDR",
    group,
    type: "URL",
    requiredness: "yes",
    parse: parseServerUrl,
    meaning:
      "Address of the secret store's service. Must include scheme and port, also where the port is 443.",
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
      "Name of the store's Helm release: its pods have it in their label `app.kubernetes.io/instance`. Where no pod has that label, the pods `<release>-<n>` are the store's.",
  }),
  podPrefix: variable({
    name: "STORE_POD_PREFIX",
    flag: "pod-prefix",
    group,
    type: "name",
    parse: parsePodPrefix,
    meaning:
      "Prefix of the names of the store's pods, which are `<prefix>-<n>`. Set it where the label of the release does not tell them from other pods.",
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
