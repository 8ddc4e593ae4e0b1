/** A hint of the operator, as the wrapper takes it. */
export type ReceivedHint =
  /** All secrets are the newest until then. 0 if the hint is about some of them only. */
  | { readonly kind: "fresh"; readonly untilMs: number }
  /** Some are not. `mayCheck` is false if too many such hints have come. */
  | { readonly kind: "changed"; readonly mayCheck: boolean }
  /** Its MAC or its sequence is wrong. */
  | { readonly kind: "refused" };
