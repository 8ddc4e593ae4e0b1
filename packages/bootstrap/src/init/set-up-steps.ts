import type { BootstrapSettings } from "../settings.ts";
import type { StepName } from "../step.ts";

/** All steps of the set-up in their order. */
const setUpSteps = [
  "kv-mount",
  "auth-mount",
  "auth-config",
  "policy",
  "role",
  "hints-policy",
  "hints-role",
] as const satisfies readonly StepName[];

/** One of them. */
export type SetUpStep = (typeof setUpSteps)[number];

/** The steps of a set-up: those of the role for hints only if that is wanted. */
export function stepsOf({ hints }: Pick<BootstrapSettings, "hints">): readonly SetUpStep[] {
  return setUpSteps.filter((step) => hints !== undefined || !step.startsWith("hints-"));
}
