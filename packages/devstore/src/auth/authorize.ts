import type { Call, TokenCall } from "../http/call.ts";
import { DEFAULT_POLICY } from "../model/default-policy.ts";
import { refuse } from "../model/errors.ts";
import { type Capability, capabilitiesOn, type PolicyRule } from "../model/policy.ts";
import { findToken, revokeToken, type StoreState } from "../model/store-state.ts";
import type { Token } from "../model/tokens.ts";

/** The texts differ: without a valid token, and with one that may not do this. */
const NOT_KNOWN = "permission denied";
const NOT_ALLOWED = "1 error occurred:\n\t* permission denied\n\n";

/** The call with its token, one use of it spent; 403 when there is no valid one. */
export function authenticate(call: Call): TokenCall {
  const token = findToken(call.state, call.request.token, call.now) ?? refuse(403, NOT_KNOWN);
  if (token.usesLeft <= 0) return { ...call, token };
  const spent: Token = { ...token, usesLeft: token.usesLeft - 1 || LAST_USE };
  call.state.tokens.set(token.id, spent);
  return { ...call, token: spent };
}

/** While the last allowed use is answered OpenBao shows -1 uses. */
const LAST_USE = -1;

/** Ends a token whose last use was just answered. */
export function endSpentToken(call: TokenCall): void {
  if (call.token.usesLeft === LAST_USE) revokeToken(call.state, call.token.id);
}

/** 403 unless the token's policies give every wanted capability on the path of the request. */
export function authorize(call: TokenCall, path: string, wanted: readonly Capability[]): void {
  if (call.token.policies.includes("root")) return;
  const rules = rulesOf(call.state, call.token);
  const granted = new Set(wanted.filter((capability) => isGranted(path, rules, capability)));
  if (granted.size < wanted.length) refuse(403, NOT_ALLOWED);
}

/** A rule for `dir` also allows the list of `dir/` (vault/acl.go, AllowOperation). */
function isGranted(path: string, rules: readonly PolicyRule[], capability: Capability): boolean {
  const trimmed = path.replace(/\/$/, "");
  const exact = rules.some((rule) => rule.path === path);
  const asked = capability === "list" && !exact && rules.some((rule) => rule.path === trimmed);
  return capabilitiesOn(asked ? trimmed : path, rules).has(capability);
}

/** Returns the rules of all policies of a token. A missing policy adds no rule. */
export function rulesOf(state: StoreState, token: Token): readonly PolicyRule[] {
  return token.policies.flatMap((name) => {
    const own = state.policies.get(name);
    return own ?? (name === "default" ? DEFAULT_POLICY : []);
  });
}
