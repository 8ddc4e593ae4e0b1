import type { ResourceNeeds } from "../pod/pod.ts";

/** The fields of a SvcConfig; all are optional, and an annotation takes precedence. */
export interface SvcConfigSpec {
  readonly vaultAddress?: string;
  readonly vaultRole?: string;
  readonly vaultAuthMethod?: string;
  readonly vaultAuthPath?: string;
  readonly vaultNamespace?: string;
  /** In the order of the groups of `envMap` and `fileMap`. */
  readonly secretPaths?: readonly string[];
  /** As in SVC_ENV_MAP. */
  readonly envMap?: string;
  /** As in SVC_FILE_MAP. */
  readonly fileMap?: string;
  readonly rotation?: string;
  /** As in SVC_STOP_SIGNAL. */
  readonly stopSignal?: string;
  /** PEM certificates by which the vault is verified. */
  readonly caBundle?: string;
  readonly wrapperImage?: string;
  /** The resources of the init container that brings the wrapper. */
  readonly wrapperResources?: ResourceNeeds;
  readonly ebpf?: boolean;
  /** As in SVC_REQUIRE_AGENT. */
  readonly requireAgent?: boolean;
  /** The Secret with the token, for the method `token`; the default `key` is `token`. */
  readonly tokenSecretRef?: { readonly name: string; readonly key?: string };
  /** The Secret of the type kubernetes.io/tls by which the wrapper's server speaks TLS. */
  readonly brokerTlsSecretRef?: { readonly name: string };
  /** The Secret with the CA of the clients that send tokens; `key` is `ca.crt` by default. */
  readonly brokerCaSecretRef?: { readonly name: string; readonly key?: string };
  /** The audience that the service account's token is made for. */
  readonly tokenAudience?: string;
  /** The addresses of vaults that pods of this configuration may name; any if it is absent. */
  readonly allowedAddresses?: readonly string[];
  /** The pods that it is for without their naming it. */
  readonly selector?: LabelSelector;
}

/** Which labels a pod must have; all of both parts. An empty one matches every pod. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

/** One requirement of a selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/** A SvcConfig as the cluster has it. */
export interface SvcConfig {
  readonly namespace: string;
  readonly name: string;
  readonly spec: SvcConfigSpec;
}
