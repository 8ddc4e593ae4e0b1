/**
 * The kubernetes login of a development store: one static JWT in the place of a cluster's tokens.
 */
export interface KubernetesLogin {
  /** The mount's name under `auth/`; by default `kubernetes`. */
  readonly mount?: string;
  /** The JWT that is accepted; any other text is refused as an invalid token is. */
  readonly jwt: string;
  /** The service account that the JWT stands for. */
  readonly serviceAccount: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
  };
  /** The audiences that the JWT stands for; by default none. */
  readonly audiences?: readonly string[];
  readonly roles: Readonly<Record<string, KubernetesRole>>;
}

/** A role as `auth/kubernetes/role/<name>` has it; `*` in a list means any. */
export interface KubernetesRole {
  readonly boundServiceAccountNames: readonly string[];
  readonly boundServiceAccountNamespaces: readonly string[];
  readonly policies: readonly string[];
  /** Lifetime of the tokens in milliseconds; by default the system's own. */
  readonly ttlMs?: number;
  /** The longest life of a token in milliseconds. */
  readonly maxTtlMs?: number;
  /** The audience that the JWT must have. */
  readonly audience?: string;
}
