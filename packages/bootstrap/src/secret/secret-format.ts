/**
 * How the output Secret is written.
 *
 * Its type is the owner's mark: the API server does not allow changes of a Secret's type, while
 * every writer may change labels and annotations.
 */
export const secretType = "svc.internal/store-keys";

/** Its labels, which choose and explain nothing but whose it is. */
export const secretLabels = {
  "app.kubernetes.io/managed-by": "svc",
  "app.kubernetes.io/component": "store-keys",
} as const;

/** Its annotations. Every user who may list Secrets reads them: no value of a secret is in one. */
export const annotations = {
  /** `reserved`, `initialising`, `resetting` or `initialised`. */
  phase: "svc.internal/phase",
  /** Belongs to every phase without keys. */
  holder: "svc.internal/holder",
  /** Belongs to every phase without keys, RFC 3339. */
  reservedAt: "svc.internal/reserved-at",
  /**
   * The pod that is asked to initialise the store, its uid, and a digest of its containers' starts.
   */
  pod: "svc.internal/pod",
  /**
   * The Secret that the holder writes keys into if this one is taken; absent if it may create
   * none.
   */
  beside: "svc.internal/beside",
  /** The claim of that pod with the store's data, and its uid. */
  claim: "svc.internal/claim",
  /** How often the store was reset; absent for never. */
  resets: "svc.internal/resets",
  /** Belongs to keys, RFC 3339. */
  initialisedAt: "svc.internal/initialised-at",
  shares: "svc.internal/shares",
  threshold: "svc.internal/threshold",
  clusterId: "svc.internal/cluster-id",
  /** `pgp` or `age`; absent if the shares are plain. */
  sharesEncrypted: "svc.internal/shares-encrypted",
  /** `pgp` or `age`; absent if the root token is plain. */
  rootTokenEncrypted: "svc.internal/root-token-encrypted",
  /** `revoking`, and absent otherwise. */
  rootToken: "svc.internal/root-token",
  configured: "svc.internal/configured",
} as const;

/** The names of the annotations that are this command's; all others belong to other tools. */
export const annotationNames: readonly string[] = Object.values(annotations);

/** The annotation of the root token while it is being revoked. */
export const revokingText = "revoking";

/** The key of the root token in its data. */
export const rootTokenKey = "root-token";

/**
 * The key of a key share in its data.
 * @param index from 0
 */
export function shareKey(index: number): string {
  return `unseal-key-${index + 1}`;
}
