import type { Progress } from "../progress.ts";
import type { BootstrapSettings, HintsRole } from "../settings.ts";
import type { StepOutcome } from "../step.ts";
import { type AuthConfigRequest, ensureAuthConfig } from "../store/auth-config.ts";
import { ensureAuthMount } from "../store/auth-mount.ts";
import { hintsPolicyText } from "../store/hints-policy-text.ts";
import { ensureKvMount } from "../store/kv-mount.ts";
import { ensurePolicy } from "../store/policy.ts";
import { ensureRole, type RoleRequest } from "../store/role.ts";
import { ensureScopedPolicy } from "../store/scoped-policy.ts";
import { shortTokens } from "../store/short-tokens.ts";
import type { StoreAccess } from "../store/store-access.ts";
import { withSetUpHint } from "./set-up-hint.ts";
import { type SetUpStep, stepsOf } from "./set-up-steps.ts";

/** The wanted set-up of an unsealed store. */
export type SetUpRequest = Pick<
  BootstrapSettings,
  "kvPath" | "authPath" | "policyName" | "policyScope" | "role" | "hints"
> & {
  readonly review: AuthConfigRequest;
};

/**
 * Makes the KV engine, the Kubernetes auth method and its configuration, the policy and the role as
 * configured, and those of the operator if they are wanted.
 */
export async function setUpStore(
  access: StoreAccess,
  wanted: SetUpRequest,
  progress: Progress,
): Promise<void> {
  for (const step of stepsOf(wanted)) {
    await progress.step({ step }, () =>
      ensureStep(step, access, wanted).catch((error: unknown) => {
        throw withSetUpHint(error, step, wanted.review);
      }),
    );
  }
  const problem = await shortTokens(access, { ...wanted.role, authPath: wanted.authPath });
  if (problem !== undefined) progress.warn(problem);
}

function ensureStep(
  step: SetUpStep,
  access: StoreAccess,
  wanted: SetUpRequest,
): Promise<StepOutcome> {
  const { kvPath, authPath, policyName, role, review } = wanted;
  switch (step) {
    case "kv-mount":
      return ensureKvMount(access, kvPath);
    case "auth-mount":
      return ensureAuthMount(access, authPath);
    case "auth-config":
      return ensureAuthConfig(access, authPath, review);
    case "policy":
      return ensureScopedPolicy(access, wanted);
    case "role":
      return ensureRole(access, { ...role, authPath, policyName });
    case "hints-policy": {
      const text = hintsPolicyText(kvPath);
      return ensurePolicy(access, { name: hintsOf(wanted).name, text }, step);
    }
    case "hints-role":
      return ensureRole(access, hintsRole(wanted), step);
  }
}

function hintsOf({ hints }: SetUpRequest): HintsRole {
  if (hints === undefined) throw new TypeError("no role for hints is wanted");
  return hints;
}

/** Its policy has its name, and its tokens live as long as those of wrappers, to be renewed. */
function hintsRole(wanted: SetUpRequest): RoleRequest {
  const { name, account } = hintsOf(wanted);
  return {
    ...wanted.role,
    ...{ name, policyName: name, authPath: wanted.authPath, tokenType: "service" },
    boundNames: [account.name],
    boundNamespaces: [account.namespace],
  };
}
