/** Whether this process traces its courier, or why it cannot. */
export type Tracing =
  | { readonly kind: "tracing" }
  | { readonly kind: "impossible"; readonly reason: string };

/** For a program that has no supervisor. */
export const noSupervisor: Tracing = {
  kind: "impossible",
  reason: "no process of the wrapper stays beside the program (SVC_SUPERVISE is never)",
};
