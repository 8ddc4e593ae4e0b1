import { parseServerUrl, variable } from "@svc/settings";
import { parseNamespaceName, parseReleaseName, parseSecretName } from "./kubernetes-name.ts";

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
      "Name of the store's Helm release. Its pods are asked for by it: `<release>-<n>.<release>-internal.<namespace>`.",
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
