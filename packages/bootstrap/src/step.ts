/** The steps that change a store. */
export type StepName =
  | "initialise"
  | "join"
  | "unseal"
  | "kv-mount"
  | "auth-mount"
  | "auth-config"
  | "policy"
  | "role";

/** What a step came to. */
export interface StepOutcome {
  readonly step: StepName;
  /** In a dry run: what would be. */
  readonly outcome: "created" | "updated" | "unchanged";
  /** The names of the fields that were other than wanted; never what they held. */
  readonly differs?: readonly string[];
}
