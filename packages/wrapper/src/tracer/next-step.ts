import type { Saying } from "./shortcomings.ts";

/** What happens to a stopped process. */
export type Next = (
  | { readonly kind: "go on"; readonly signal: number }
  | { readonly kind: "release" }
  | { readonly kind: "leave stopped" }
) & { readonly say?: Saying };

/** It runs on as if nothing had been. */
export const goOn: Next = { kind: "go on", signal: 0 };
