/** Every way in which an image's configuration stays unknown. */
export const imageErrorCatalogue = {
  REFERENCE_INVALID: {
    meaning: "the image reference is malformed",
    hint: "write REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:…, the name in lower case",
  },
  NOT_ASKED: {
    meaning: "the operator is set to ask only mirrors of this registry, and knows none",
    hint: "set the container's command; the administrator may set --registry-mirrors (operator.settings.registryMirrors) or --default-registry (operator.settings.defaultRegistry)",
  },
  NOT_FOUND: {
    meaning: "the registry has no such image",
    hint: "check name and tag; some registries say so of private images too: check imagePullSecrets as well",
  },
  DENIED: {
    meaning: "the registry refused every credential, or there was none",
    hint: "add a Secret of type kubernetes.io/dockerconfigjson that may pull the image to imagePullSecrets of the pod or of its service account",
  },
  UNREACHABLE: {
    meaning: "no registry that may have the image could be reached",
    hint: "the operator has to reach the registry itself: check name resolution, and its network policy (operator.networkPolicy.registries)",
  },
  TIMEOUT: {
    meaning: "the registry did not answer within the time that admission leaves",
    hint: "try again, or set the container's command, so that the registry need not be asked",
  },
  TLS: {
    meaning: "the registry's certificate was refused, or it does not speak TLS",
    hint: "the administrator may name a file with the private authority that signed it (operator.settings.registryCaFiles) and mount it (operator.extraVolumes, operator.extraVolumeMounts), or name the registry as an insecure one (operator.settings.insecureRegistries)",
  },
  RATE_LIMITED: {
    meaning: "the registry has had too many requests",
    hint: "name imagePullSecrets of an account with a higher limit, or set the container's command; the administrator may set a mirror (--registry-mirrors, operator.settings.registryMirrors)",
  },
  SERVER_ERROR: {
    meaning: "the registry answered with its own error",
    hint: "try again; the registry's log says more",
  },
  CIRCUIT_OPEN: {
    meaning: "the registry failed several times in a row and is left alone for a moment",
    hint: "try again in a minute, or set the container's command",
  },
  BUSY: {
    meaning: "the operator already looks up as many images as it may at a time",
    hint: "try again in a moment, or set the container's command",
  },
  UNSUPPORTED: {
    meaning: "the image, or the registry's kind of login, is not supported",
    hint: "set the container's command; schema 1 images have to be pushed again with a tool of this decade",
  },
  BAD_ANSWER: {
    meaning: "the registry's answer is malformed, or differs from its digest",
    hint: "check proxies between the operator and the registry; a mirror may be damaged",
  },
  TOO_LARGE: {
    meaning: "an answer is larger than any manifest or configuration should be",
    hint: "set the container's command, so that the image need not be read",
  },
  REDIRECT_REFUSED: {
    meaning: "the registry redirected to a host that the operator does not trust",
    hint: "the administrator may name the host as a trusted one (operator.settings.registryTrustedHosts)",
  },
  NO_PLATFORM: {
    meaning: "the image is not for the platforms that the pod may run on",
    hint: "build it for them, or keep the pod to those that it has with a nodeSelector for kubernetes.io/arch",
  },
  AMBIGUOUS: {
    meaning: "the image starts different programs on the platforms that the pod may run on",
    hint: "set the container's command, or a nodeSelector for kubernetes.io/arch",
  },
  LOGIN_REFUSED: {
    meaning: "the operator's own login at a registry was refused, or is not set up whole",
    hint: "the administrator of the operator has to look at --registry-logins (operator.settings.registryLogins) and at the identity behind it",
  },
  LOGIN_UNAVAILABLE: {
    meaning: "a server that the operator needs for its own login at a registry did not answer",
    hint: "try again in a moment; the operator has to reach the server: check its network policy (operator.networkPolicy.identities)",
  },
  CANCELLED: {
    meaning: "the time that admission leaves was over before the registry had answered",
    hint: "create the pod again, or set the container's command, so that the registry need not be asked",
  },
} as const satisfies Readonly<Record<string, { readonly meaning: string; readonly hint: string }>>;

/** The code of an `ImageError`. */
export type ImageErrorCode = keyof typeof imageErrorCatalogue;
