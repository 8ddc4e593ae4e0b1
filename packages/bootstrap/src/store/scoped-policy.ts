import type { PolicyScope } from "../settings.ts";
import type { StepOutcome } from "../step.ts";
import { mountAt } from "./mount-table.ts";
import { ensurePolicy } from "./policy.ts";
import { policyText } from "./policy-text.ts";
import type { StoreAccess } from "./store-access.ts";

/** A policy, and whose secrets its tokens read. */
export interface ScopedPolicyRequest {
  readonly policyName: string;
  readonly policyScope: PolicyScope;
  readonly kvPath: string;
  /** The path of the auth method by which its tokens log in. */
  readonly authPath: string;
}

/**
 * Sees to the policy of wrappers' tokens. One whose paths have the names of the one who logs in is
 * made for the auth method as it is mounted now.
 * @throws VaultError
 */
export async function ensureScopedPolicy(
  access: StoreAccess,
  { policyName, policyScope: scope, kvPath, authPath }: ScopedPolicyRequest,
): Promise<StepOutcome> {
  const accessor = scope === "all" ? "" : await accessorOf(access, authPath);
  return ensurePolicy(access, { name: policyName, text: policyText(kvPath, { scope, accessor }) });
}

/** In a dry run the method may not be there yet. */
async function accessorOf({ admin, token }: StoreAccess, authPath: string): Promise<string> {
  return mountAt(await admin.read(token, "sys/auth"), authPath)?.accessor ?? "";
}
