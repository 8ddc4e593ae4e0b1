import type { ServerTls } from "@svc/settings";
/** The role that wrappers log in with. */
export interface RoleSettings {
  readonly name: string;
  /** `*` alone, or names. */
  readonly boundNames: readonly string[];
  /** `*` alone, or names. */
  readonly boundNamespaces: readonly string[];
  readonly ttlSeconds: number;
  /** `batch`: the store keeps nothing of a token, so nothing can renew or revoke it. */
  readonly tokenType: "service" | "batch";
  /** Absent if tokens for any audience are taken. */
  readonly audience?: string;
}

/** The role by which the operator learns the versions of secrets, with a policy of the same name. */
export interface HintsRole {
  readonly name: string;
  /** The one service account that may log in with it. */
  readonly account: { readonly namespace: string; readonly name: string };
}

/**
 * Which secrets a token reads: all of the engine, those below its service account's namespace, or
 * those of its namespace and name.
 */
export type PolicyScope = "all" | "namespace" | "service-account";

/** The settings of every command about a store. Plain data without a secret. */
export interface StatusSettings {
  readonly store: {
    /** With scheme and port, without a slash at its end. */
    readonly address: string;
    readonly namespace: string;
    /** The Helm release. */
    readonly releaseName: string;
    /** Absent if the release's label says which pods are the store's. */
    readonly podPrefix?: string;
    readonly tls: ServerTls;
  };
  /** The name of a Kubernetes Secret in the store's namespace. */
  readonly outputSecret: string;
  readonly cluster: {
    /** Absent for the pod's service account, or `~/.kube/config`. */
    readonly kubeconfig?: readonly string[];
    readonly context?: string;
  };
  /** How long to wait for pods and for other runs. */
  readonly waitMs: number;
  readonly output: OutputFormat;
}

/** For people, or one JSON object a line. */
export type OutputFormat = "text" | "json";

/** The settings of `svc secretstore unseal`. */
export interface UnsealSettings extends StatusSettings {
  /** True if shares come from standard input and not from the Secret. */
  readonly sharesStdin: boolean;
}

/** The settings of `svc secretstore reset`. */
export interface ResetSettings extends StatusSettings {
  /** The claim with a pod's data is `<dataClaim>-<pod>`. */
  readonly dataClaim: string;
  /** How long the proof has to hold. */
  readonly settleMs: number;
  /** False if the command only names the objects. */
  readonly delete: boolean;
}

/** How the store has tokens reviewed. */
export interface ReviewSettings {
  /** The API server, as the store reaches it. */
  readonly host: string;
  /** For a store outside of the cluster; both or none. */
  readonly files?: { readonly caCertPath: string; readonly reviewerTokenPath: string };
}

/** The recipients of the encrypted keys. */
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

/** The settings of `svc secretstore init`. */
export interface BootstrapSettings extends StatusSettings {
  readonly shamir: { readonly shares: number; readonly threshold: number };
  readonly encryption: EncryptionSettings;
  /** Without slashes around it. */
  readonly kvPath: string;
  /** Without `auth/` and slashes around it. */
  readonly authPath: string;
  readonly policyName: string;
  readonly policyScope: PolicyScope;
  readonly role: RoleSettings;
  /** Absent if no role for hints is to be made. */
  readonly hints?: HintsRole;
  readonly review: ReviewSettings;
  readonly revokeRoot: boolean;
  /** True if a store whose keys were lost is to be reset. */
  readonly resetUnfinished: boolean;
  /** The claim with a pod's data is `<dataClaim>-<pod>`. */
  readonly dataClaim: string;
  /** How long the proof of a reset has to hold. */
  readonly settleMs: number;
  readonly dryRun: boolean;
  /** True if standard input has the token to set the store up with. */
  readonly tokenStdin: boolean;
}
