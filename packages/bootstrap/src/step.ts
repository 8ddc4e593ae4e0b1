/** The steps that change a store. */
export type StepName =
  | "initialise"
  | "join"
  | "unseal"
  | "kv-mount"
  | "auth-mount"
  | "auth-config"
  | "policy"
  | "role"
  | "hints-policy"
  | "hints-role";

/** The result of a step. */
export interface StepOutcome {
  readonly step: StepName;
  /** In a dry run: the planned result. */
  readonly outcome: "created" | "updated" | "unchanged";
  /** The names of the fields that were other than wanted; never their values. */
  readonly differs?: readonly string[];
}
