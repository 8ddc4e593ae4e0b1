import { policyText } from "../store/policy-text.ts";
import type { SetUpRequest } from "./set-up-store.ts";

/**
 * A digest of a store's set-up. It tells a later run without a root token that there is nothing to
 * do. The reviewer's token is not in it: the store does not show it, and it may be another one each
 * time.
 */
export function digestOf(wanted: SetUpRequest): string {
  const { kvPath, authPath, policyName, policyScope: scope, role, review, hints } = wanted;
  const { host, caPem, outside = false } = review;
  const policy = policyText(kvPath, { scope, accessor: "" });
  // Without new settings the digest is that of earlier releases.
  const { tokenType, ...others } = role;
  const ownRole = tokenType === "service" ? others : role;
  const parts = [kvPath, authPath, policyName, policy, ownRole, host, caPem, outside];
  const text = JSON.stringify(hints === undefined ? parts : [...parts, hints]);
  return `sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32)}`;
}
