/** What the API server asks about one object (admission.k8s.io/v1), as far as it is looked at here. */
export interface AdmissionRequest {
  /** Of this question; the answer repeats it. */
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** `CREATE`, `UPDATE`, `DELETE` or `CONNECT`. */
  readonly operation: string;
  /** Empty for what has none. */
  readonly namespace: string;
  /** Empty where the server will make one of `generateName`. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subResource: string;
  /** True where nothing will be stored. */
  readonly dryRun: boolean;
  /** As it would be stored; null where it goes away. */
  readonly object: unknown;
}
