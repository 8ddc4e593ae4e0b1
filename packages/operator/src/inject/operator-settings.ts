import type { ResourceNeeds } from "../pod/pod.ts";
import type { BundleSource } from "./bundle-source.ts";

/** The operator's own flags and values for injection. */
export interface OperatorSettings {
  /** The prefix of annotations and the label. */
  readonly prefix: string;
  readonly bundle: BundleSource;
  /** The resources of the init container, if no SvcConfig sets them. */
  readonly resources: ResourceNeeds;
  /** Names of pull secrets for the wrapper's image, which have to be in the pod's namespace. */
  readonly imagePullSecrets: readonly string[];
  /** Containers left alone unless an annotation names them. */
  readonly wellKnownSidecars: readonly string[];
  /** The addresses of vaults that any pod may name; every one if it is empty. */
  readonly allowedAddresses: readonly string[];
  /**
   * Audience of the tokens that pods log in with if neither they nor their SvcConfig say one;
   * `none`: their own.
   */
  readonly tokenAudience: string;
  /**
   * `agent`: the node's agent gives tokens for that audience to wrappers; no file of a pod has one.
   */
  readonly tokenSource: "file" | "agent";
  /** The namespaces whose pods may go to a vault without verified TLS; `*` for every one. */
  readonly insecureVaultNamespaces: readonly string[];
  /** The folder of the node in which the agent's socket is. */
  readonly agentFolder: string;
  /** The server that wrappers ask before they replace a program; undefined if they need not. */
  readonly permits: PermitPlace | undefined;
  /** True if wrappers may subscribe to version hints at that server. */
  readonly hints: boolean;
  /** The decision for a pod that asks for injection and cannot get it. */
  readonly whenImpossible: "deny" | "admit";
}

/** The operator's server for permits. */
export interface PermitPlace {
  /** `https://svc-operator.svc-system.svc:8444`. */
  readonly address: string;
  /** The authority that it is verified by, in PEM. */
  readonly authorityPem: string;
}

/** The defaults of the operator. The image has no default. */
export const operatorDefaults = {
  prefix: "svc.internal",
  copyCommand: ["/opt/svc/bin/svc-wrapper", "--install", "/target"],
  user: 65_532,
  resources: {
    // Small: the scheduler counts them for as long as the pod lives (kubernetes/kubernetes#124282).
    requests: { cpu: "10m", memory: "32Mi" },
    // No limit of the processor: a start under one takes longer.
    limits: { memory: "256Mi" },
  },
  imagePullSecrets: [],
  // Proxies of meshes and their set-up: they come by other webhooks and have no secrets in a vault.
  wellKnownSidecars: [
    "istio-proxy",
    "istio-init",
    "istio-validation",
    "linkerd-proxy",
    "linkerd-init",
    "linkerd-network-validator",
    "kuma-sidecar",
    "kuma-init",
    "consul-dataplane",
    "consul-connect-inject-init",
  ],
  allowedAddresses: [],
  tokenAudience: "vault",
  tokenSource: "file",
  insecureVaultNamespaces: [],
  agentFolder: "/var/run/svc",
  permits: undefined,
  hints: false,
  whenImpossible: "deny",
} as const satisfies Partial<OperatorSettings> & {
  readonly copyCommand: readonly string[];
  readonly user: number;
};
