import { parseServerUrl, variable } from "@svc/settings";
import { parseNamespaceName, parseReleaseName, parseSecretName } from "./kubernetes-name.ts";
import { parseShareCount } from "./share-count.ts";

const group = "Secret store";

/** Where the store is, how it is initialised, and where the outcome goes. */
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
  shares: variable({
    name: "BOOTSTRAP_SHAMIR_SHARES",
    flag: "shamir-shares",
    group,
    type: "number",
    default: "5",
    parse: parseShareCount,
    meaning: "Number of key shares that the initialisation makes. From 1 to 255.",
  }),
  threshold: variable({
    name: "BOOTSTRAP_SHAMIR_THRESHOLD",
    flag: "shamir-threshold",
    group,
    type: "number",
    default: "3",
    parse: parseShareCount,
    meaning:
      "Number of key shares that unseal. At most the number of shares; at least 2, and 1 where there is one share.",
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
