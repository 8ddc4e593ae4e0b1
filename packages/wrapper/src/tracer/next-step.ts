/** What happens to a stopped process. */
export type Next =
  | { readonly kind: "go on"; readonly signal: number }
  /** It is released; a signal is delivered to it, if one is named. */
  | { readonly kind: "release"; readonly signal?: number }
  | { readonly kind: "leave stopped" };

/** It runs on as if nothing had been. */
export const goOn: Next = { kind: "go on", signal: 0 };

/** It is traced no longer. */
export const release: Next = { kind: "release" };
