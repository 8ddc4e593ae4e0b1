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

/** Whom the outcome of the initialisation is encrypted to. */
export interface EncryptionSettings {
  readonly shares:
    | { readonly cipher: "none" }
    /** By the store, to one key for each share. */
    | { readonly cipher: "pgp"; readonly keyPaths: readonly string[] }
    /** By us, to one recipient for each share. */
    | { readonly cipher: "age"; readonly recipients: readonly string[] };
  readonly rootToken:
    | { readonly cipher: "none" }
    /** By the store, to a key that is also one of the shares'. */
    | { readonly cipher: "pgp"; readonly keyPath: string }
    | { readonly cipher: "age"; readonly recipient: string };
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
  readonly encryption: EncryptionSettings;
  /** The name of a Kubernetes Secret in the store's namespace. */
  readonly outputSecret: string;
  /** Without slashes around it. */
  readonly kvPath: string;
  /** Without `auth/` and slashes around it. */
  readonly authPath: string;
  readonly policyName: string;
  readonly role: RoleSettings;
}
