import { parseFilePath, parseServerUrl, variable } from "@svc/settings";

const group = "Review of service account tokens";

/** How the store lets the API server review the tokens of logins. */
export const reviewVariables = {
  kubernetesHost: variable({
    name: "BOOTSTRAP_KUBERNETES_HOST",
    flag: "kubernetes-host",
    group,
    type: "URL",
    default: "https://kubernetes.default.svc:443",
    parse: parseServerUrl,
    meaning: "Address of the API server, as the store reaches it.",
  }),
  kubernetesCaCertPath: variable({
    name: "BOOTSTRAP_KUBERNETES_CA_CERT",
    flag: "kubernetes-ca-cert",
    group,
    type: "file",
    requiredness: { conditional: "Conditional: together with BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE" },
    parse: parseFilePath,
    meaning:
      "PEM file of the CA certificates to verify the API server with. For a store that runs outside the cluster: one in a pod has its own.",
  }),
  reviewerTokenPath: variable({
    name: "BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE",
    flag: "token-reviewer-jwt-file",
    group,
    type: "file",
    requiredness: { conditional: "Conditional: together with BOOTSTRAP_KUBERNETES_CA_CERT" },
    parse: parseFilePath,
    meaning:
      "File with the token of an account that may review tokens (`system:auth-delegator`). For a store that runs outside the cluster: one in a pod uses its own account's.",
  }),
};
