/** How the store's certificate is verified, and which one is shown to it. */
export interface StoreTls {
  readonly skipVerify: boolean;
  /** A file of CA certificates; where it is set, caPath is not. */
  readonly caCertPath?: string;
  /** A directory of CA certificates. */
  readonly caPath?: string;
  readonly clientCertPath?: string;
  readonly clientKeyPath?: string;
  readonly serverName?: string;
}

/** The role that wrappers log in with. */
export interface RoleSettings {
  readonly name: string;
  /** `*` alone, or names. */
  readonly boundNames: readonly string[];
  /** `*` alone, or names. */
  readonly boundNamespaces: readonly string[];
  readonly ttlSeconds: number;
  /** Absent where tokens for any audience are taken. */
  readonly audience?: string;
}

/** Everything that `svc secretstore init` is told. Plain data without a secret. */
export interface BootstrapSettings {
  readonly store: {
    /** With scheme and port, without a slash at its end. */
    readonly address: string;
    readonly namespace: string;
    readonly releaseName: string;
    readonly tls: StoreTls;
  };
  readonly shamir: { readonly shares: number; readonly threshold: number };
  /** The name of a Kubernetes Secret in the store's namespace. */
  readonly outputSecret: string;
  /** Without slashes around it. */
  readonly kvPath: string;
  /** Without `auth/` and slashes around it. */
  readonly authPath: string;
  readonly policyName: string;
  readonly role: RoleSettings;
}
