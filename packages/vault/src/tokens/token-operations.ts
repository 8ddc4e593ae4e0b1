import type { SecretJson } from "@svc/secret-bytes";
import { memberReader, successEnvelope, textOf } from "../http/envelope.ts";
import { jsonBody } from "../http/json-body.ts";
import { statusError } from "../http/status-error.ts";
import { call, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";
import type { Secret } from "../values/secret.ts";

/** The vault's facts about a token. Its identifier and accessor are left out. */
export interface TokenInfo {
  /** Until it expires; 0 when it never does. */
  readonly ttlMs: number;
  readonly renewable: boolean;
  readonly policies: readonly string[];
  /** True for a batch token, which the vault keeps nowhere: nothing can renew or revoke it. */
  readonly isBatch: boolean;
}

/** How long a renewed token or lease lasts. */
export interface Renewal {
  /** May be less than requested. */
  readonly ttlMs: number;
  readonly renewable: boolean;
}

const TOKEN_HINTS: VaultRequest["hints"] = {
  DENIED: "the token is unknown to this vault, expired or revoked, or lacks the default policy",
  BAD_REQUEST: "the token may not be renewable",
};

/** GET /v1/auth/token/lookup-self. */
export function lookupSelf(caller: VaultCaller, token: Secret): Promise<TokenInfo> {
  const request = tokenRequest("look up token", "lookup-self", token);
  return call(caller, request, (response) => {
    const data = successEnvelope(request, response).member("data");
    const reader = memberReader(request, data, "data");
    return {
      ttlMs: reader.secondsAsMs("ttl"),
      renewable: reader.boolean("renewable"),
      policies: reader.strings("policies"),
      isBatch: textOf(data?.member("type")) === "batch",
    };
  });
}

/**
 * True if the vault takes a token, by GET /v1/auth/token/lookup-self. Only the vault's own
 * refusal counts as one: something in front of it, which refuses with its own page, does not
 * know the token.
 */
export function acceptsToken(caller: VaultCaller, token: Secret): Promise<boolean> {
  const request = tokenRequest("look up token", "lookup-self", token);
  return call(caller, request, (response) => {
    if (response.status === 403 && isVaultsOwn(response)) return false;
    requireSuccess(request, response);
    successEnvelope(request, response);
    return true;
  });
}

/** The API refuses with a JSON object that has a list of errors. */
function isVaultsOwn({ body }: VaultResponse): boolean {
  const answer = body.parseJson();
  return typeof answer !== "string" && answer.member("errors")?.kind === "array";
}

/** POST /v1/auth/token/renew-self. Without `incrementMs` the token's own period counts. */
export function renewSelf(
  caller: VaultCaller,
  token: Secret,
  incrementMs?: number,
): Promise<Renewal> {
  const request: VaultRequest = {
    ...tokenRequest("renew token", "renew-self", token),
    method: "POST",
    body: jsonBody(incrementOf(incrementMs)),
  };
  return call(caller, request, (response) => {
    return readRenewal(request, successEnvelope(request, response).member("auth"), "auth");
  });
}

/** POST /v1/auth/token/revoke-self. */
export function revokeSelf(caller: VaultCaller, token: Secret): Promise<void> {
  const request: VaultRequest = {
    ...tokenRequest("revoke token", "revoke-self", token),
    method: "POST",
  };
  return call(caller, request, (response) => requireSuccess(request, response));
}

/** PUT /v1/sys/leases/renew. */
export function renewLease(
  caller: VaultCaller,
  token: Secret,
  leaseId: string,
  incrementMs?: number,
): Promise<Renewal> {
  const request: VaultRequest = {
    operation: `renew lease ${JSON.stringify(leaseId)}`,
    method: "PUT",
    target: "sys/leases/renew",
    path: "sys/leases/renew",
    token,
    body: jsonBody({ lease_id: leaseId, ...incrementOf(incrementMs) }),
    hints: { BAD_REQUEST: "the lease may not be renewable" },
  };
  return call(caller, request, (response) => {
    return readRenewal(request, successEnvelope(request, response), "answer");
  });
}

function tokenRequest(operation: string, endpoint: string, token: Secret): VaultRequest {
  const path = `auth/token/${endpoint}`;
  return { operation, method: "GET", target: path, path, token, hints: TOKEN_HINTS };
}

function readRenewal(request: VaultRequest, from: SecretJson | undefined, at: string): Renewal {
  const reader = memberReader(request, from, at);
  return { ttlMs: reader.secondsAsMs("lease_duration"), renewable: reader.boolean("renewable") };
}

/** The API counts in whole seconds; rounded up, so that a short request is not "no request". */
function incrementOf(incrementMs: number | undefined): { readonly increment?: number } {
  return incrementMs === undefined ? {} : { increment: Math.ceil(incrementMs / 1000) };
}

function requireSuccess(request: VaultRequest, response: VaultResponse): void {
  if (response.status < 200 || response.status > 299) throw statusError(request, response);
}
