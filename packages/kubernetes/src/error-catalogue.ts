/** Every way in which the API server is not reached, or refuses a request. */
export const kubernetesErrorCatalogue = {
  KUBECONFIG_UNUSABLE: {
    meaning: "no usable kubeconfig or service account gives the way to the API server",
    hint: "in a pod, mount the service account's token; elsewhere name a kubeconfig with a current context",
  },
  KUBERNETES_UNREACHABLE: {
    meaning: "the API server did not answer, or answered with a server error",
    hint: "look at the API server's address and certificate, and at its health",
  },
  KUBERNETES_DENIED: {
    meaning:
      "the API server does not accept the account's credentials, or the account lacks a right",
    hint: "give the account the right that the message names; a quota or a namespace that is being deleted refuses in the same way",
  },
  KUBERNETES_REFUSED: {
    meaning: "the API server does not accept the request",
    hint: "its reason is in the message: a quota, an admission webhook or a namespace that is not there",
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The closed set of codes of `KubernetesError`. */
export type KubernetesErrorCode = keyof typeof kubernetesErrorCatalogue;
