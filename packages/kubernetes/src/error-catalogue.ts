/** Every way in which the API server is not reached, or refuses a request. */
export const kubernetesErrorCatalogue = {
  KUBECONFIG_UNUSABLE: {
    meaning: "how to reach the API server is not known, or in a way that is not supported",
    hint: "in a pod, let its service account's token be mounted; elsewhere name a kubeconfig with a current context",
  },
  KUBERNETES_UNREACHABLE: {
    meaning: "the API server did not answer, or with an error of its own",
    hint: "look at the API server's address and certificate, and at its health",
  },
  KUBERNETES_DENIED: {
    meaning: "the API server knows who asks and does not allow it, or does not know who asks",
    hint: "give the account the right that the message names; a quota or a namespace that is being deleted refuses in the same way",
  },
  KUBERNETES_REFUSED: {
    meaning: "the API server does not accept the request",
    hint: "its reason is in the message: a quota, an admission webhook or a namespace that is not there",
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The closed set of codes of `KubernetesError`. */
export type KubernetesErrorCode = keyof typeof kubernetesErrorCatalogue;
