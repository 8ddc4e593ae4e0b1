import type { StepName } from "../step.ts";

/** The steps of the set-up in their order. */
export const setUpSteps = [
  "kv-mount",
  "auth-mount",
  "auth-config",
  "policy",
  "role",
] as const satisfies readonly StepName[];

/** One of them. */
export type SetUpStep = (typeof setUpSteps)[number];
