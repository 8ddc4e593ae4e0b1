import type { AwsKeys } from "./aws-keys.ts";

/**
 * The operator's identity at AWS: the first of these that its environment has, in the order of
 * AWS's SDKs.
 */
export type AwsIdentity = (
  | StaticKeys
  | WebIdentity
  | ContainerIdentity
  | { readonly kind: "instance"; readonly server: URL }
  | { readonly kind: "none" }
) & {
  /** If the environment names one. */
  readonly region: string | undefined;
  /** Servers instead of those that AWS has for the region. */
  readonly servers: { readonly sts: URL | undefined; readonly ecr: URL | undefined };
};

/** Keys that an administrator has set. */
export interface StaticKeys {
  readonly kind: "keys";
  readonly keys: AwsKeys;
}

/** A role that the service account's token is exchanged for (IRSA). */
export interface WebIdentity {
  readonly kind: "web-identity";
  readonly roleArn: string;
  readonly tokenFile: string;
  readonly sessionName: string;
}

/** EKS Pod Identity, and others that speak the container credential protocol. */
export interface ContainerIdentity {
  readonly kind: "container";
  readonly url: URL;
  readonly tokenFile: string | undefined;
}
