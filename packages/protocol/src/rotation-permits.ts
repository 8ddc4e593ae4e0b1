/** The path at which wrappers ask the operator for permits, by POST. */
export const PERMIT_PATH = "/v1/rotation-permits";

/** The audience of the service account tokens by which wrappers prove their pods. */
export const PERMIT_AUDIENCE = "svc-rotation-permits";

/**
 * The purpose of a question. `ask`: the program's secrets have changed, and it is to be replaced. `done`:
 * the wrapper has ended the program, and started it again if it could. `kept`: it has left the
 * program alone.
 */
export type PermitSaying = (typeof permitSayings)[number];

/** All sayings. */
export const permitSayings = ["ask", "done", "kept"] as const;

/** The thing that a rotation replaces: the program in its container, or the pod. */
export type RotationBy = (typeof rotationBys)[number];

/** Both. */
export const rotationBys = ["program", "pod"] as const;

/** The members of a question, which is a JSON object. */
export interface PermitQuestion {
  /** The service account token of the pod. */
  readonly token: string;
  readonly say: PermitSaying;
  readonly by: RotationBy;
  /** Until a secret of the program is worth nothing, in seconds; absent if none expires. */
  readonly expiresInSeconds?: number | undefined;
}

/** The answer: a JSON object. */
export type PermitAnswer =
  | { readonly decision: "go" }
  /** `reason` is one line for people. */
  | { readonly decision: "wait"; readonly reason: string; readonly retryAfterMs: number };
