/** Whether this process traces its courier, or why it cannot. */
export type Tracing =
  | { readonly kind: "tracing" }
  | { readonly kind: "impossible"; readonly reason: string };
