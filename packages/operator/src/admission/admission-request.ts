/**
 * The API server's request about one object (admission.k8s.io/v1), with the fields that this code
 * reads.
 */
export interface AdmissionRequest {
  /** The id of this request; the answer repeats it. */
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** `CREATE`, `UPDATE`, `DELETE` or `CONNECT`. */
  readonly operation: string;
  /** Empty if the object does not have it. */
  readonly namespace: string;
  /** Empty if the server will make one of `generateName`. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subResource: string;
  /** True if nothing will be stored. */
  readonly dryRun: boolean;
  /** As it would be stored; null if it goes away. */
  readonly object: unknown;
}
