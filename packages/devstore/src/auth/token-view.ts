import { timeText } from "../http/call.ts";
import type { JsonObject } from "../json/json.ts";
import { secondsLeft, type Token } from "../model/tokens.ts";

/** The `auth` block of a login, a creation and a renewal; keys in OpenBao's order. */
export function authView(token: Token, now: number): JsonObject {
  return {
    client_token: token.id,
    accessor: token.accessor,
    policies: token.policies,
    token_policies: token.policies,
    metadata: token.meta,
    lease_duration: secondsLeft(token, now),
    renewable: token.renewable,
    entity_id: token.entityId,
    token_type: "service",
    orphan: token.parent === undefined,
    mfa_requirement: null,
    num_uses: Math.max(0, token.usesLeft),
  };
}

/** The answer to `lookup-self`. */
export function tokenView(token: Token, now: number): JsonObject {
  return {
    accessor: token.accessor,
    creation_time: Math.floor(token.createdMs / 1000),
    creation_ttl: token.creationTtlMs / 1000,
    display_name: token.displayName,
    entity_id: token.entityId,
    expire_time: token.expiresMs === undefined ? null : timeText(token.expiresMs),
    explicit_max_ttl: token.explicitMaxTtlMs / 1000,
    id: token.id,
    issue_time: timeText(token.createdMs),
    meta: token.meta,
    num_uses: token.usesLeft,
    orphan: token.parent === undefined,
    path: token.path,
    policies: token.policies,
    renewable: token.renewable,
    ttl: secondsLeft(token, now),
    type: "service",
  };
}
