/** A Kubernetes Secret as it is to be written. */
export interface SecretContent {
  readonly type: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The bytes themselves, without the base64 of the API. */
  readonly data: ReadonlyMap<string, Uint8Array>;
}

/** Which state of which object a Secret was read in. */
export interface SecretRevision {
  /** Another one if the Secret was deleted and made again under its name. */
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A Kubernetes Secret as it was read. */
export interface SecretObject extends SecretContent {
  readonly revision: SecretRevision;
  /** True if it is immutable. */
  readonly immutable: boolean;
  /** True between its deletion and the end of its last finalizer. */
  readonly deleting: boolean;
}

/**
 * The one Secret of a run, wherever it is kept. Every operation is tried once, and rejects with
 * `BootstrapError` only: after `KUBERNETES_UNREACHABLE` a write may have arrived.
 */
export interface SecretClient {
  /** For messages, for example `secret "svc-vault-init" in namespace "vault"`. */
  readonly name: string;
  /** Undefined if there is none. */
  read(): Promise<SecretObject | undefined>;
  create(content: SecretContent): Promise<"written" | "exists">;
  /** Replaces it only if it still is in that state. */
  replace(content: SecretContent, revision: SecretRevision): Promise<"written" | "conflict">;
  /**
   * The result of `replace`, or of `create` without a revision; nothing is changed. A client that
   * changes Secrets on their way in shows here. The server's words about a refusal are repeated
   * only if the content is a dummy: a webhook may quote the content.
   */
  rehearse(
    content: SecretContent,
    revision: SecretRevision | undefined,
    options?: { readonly isDummy?: boolean },
  ): Promise<SecretContent | "conflict">;
  /**
   * The name under which `createBeside` may create one; undefined if the account may create none.
   */
  besideName(): Promise<string | undefined>;
  /**
   * Creates one under a name that begins with this one's and is this client's alone; gives that
   * name.
   * @throws BootstrapError `OUTPUT_NOT_KEPT` if it is there and not as it was to be
   */
  createBeside(content: SecretContent): Promise<string>;
}
