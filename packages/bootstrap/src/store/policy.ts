import type { StoredFields } from "@svc/vault";
import type { StepOutcome } from "../step.ts";
import { ensure } from "./ensure.ts";
import type { Plan } from "./plan.ts";
import type { StoreAccess } from "./store-access.ts";

/** A policy by its name and text. */
export interface PolicyRequest {
  readonly name: string;
  readonly text: string;
}

/**
 * Sees to an ACL policy, to the letter.
 * @throws VaultError
 */
export function ensurePolicy(
  access: StoreAccess,
  wanted: PolicyRequest,
  step: "policy" | "hints-policy" = "policy",
): Promise<StepOutcome> {
  const readPath = `sys/policies/acl/${wanted.name}`;
  const plan = (present: StoredFields | undefined) => policyPlan(present, wanted);
  return ensure(access, { step, readPath, plan });
}

/** Makes the policy from the present one. */
export function policyPlan(present: StoredFields | undefined, { name, text }: PolicyRequest): Plan {
  const write = { path: `sys/policies/acl/${name}`, fields: { policy: text } };
  if (present === undefined) return { outcome: "created", write };
  return present["policy"] === text
    ? { outcome: "unchanged" }
    : { outcome: "updated", differs: ["policy"], write };
}
