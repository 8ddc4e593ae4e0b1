import { badResponse, memberReader, successEnvelope, textOf } from "../http/envelope.ts";
import { type JsonMember, jsonBody } from "../http/json-body.ts";
import { call, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";
import { parseSecretPath } from "../kv/secret-path.ts";
import { Secret } from "../values/secret.ts";

/** The place of a login, and its patience. */
export interface LoginPlace {
  /** Below `auth/`, for example `kubernetes`. */
  readonly mountPath: string;
  /**
   * How long a 403 counts as passing, in milliseconds. Default 0.
   * Standby nodes of an HA vault refuse logins for up to 60 s after auth/<mount>/config is written.
   */
  readonly retryDeniedForMs?: number | undefined;
}

/** A login with a JWT and the name of a role. */
export interface RoleLogin extends LoginPlace {
  readonly role: string;
  readonly jwt: Secret;
}

/** The result of a login. */
export interface Login {
  readonly token: Secret;
  /** 0 when the token never expires. */
  readonly ttlMs: number;
  readonly renewable: boolean;
  readonly policies: readonly string[];
  /** True for a batch token, which the vault keeps nowhere: nothing can renew or revoke it. */
  readonly isBatch: boolean;
}

/** The parts of a login that differ between the auth methods. */
interface LoginRequest {
  /** The last segment of the path, if there is one behind `login`. */
  readonly below?: string;
  readonly body: Readonly<Record<string, JsonMember>>;
  /** Behind the path in messages, for example ` with role "app"`. */
  readonly suffix?: string;
  readonly hints: NonNullable<VaultRequest["hints"]>;
}

/**
 * POST /v1/auth/<mount>/login, or a name below it. A login may be repeated: an unused token just
 * expires.
 */
export function requestLogin(
  caller: VaultCaller,
  { mountPath, retryDeniedForMs }: LoginPlace,
  { below, body, suffix = "", hints }: LoginRequest,
): Promise<Login> {
  const name = below === undefined ? "" : `/${below}`;
  const path = parseSecretPath(`auth/${mountPath}/login${name}`);
  const request: VaultRequest = {
    operation: `login at ${path.text}${suffix}`,
    method: "POST",
    target: path.encoded,
    path: path.text,
    body: jsonBody(body),
    hints: { NOT_FOUND: "check VAULT_AUTH_MOUNT_PATH and VAULT_NAMESPACE", ...hints },
  };
  return call(caller, request, (response) => readLogin(request, response), { retryDeniedForMs });
}

function readLogin(request: VaultRequest, response: VaultResponse): Login {
  const member = successEnvelope(request, response).member("auth");
  const auth = memberReader(request, member, "auth");
  const token = auth.secret("client_token");
  // Empty when the vault wants a second factor, which a machine has not.
  if (token.length === 0 || token.firstInvisible() !== -1) {
    throw badResponse(request, "auth.client_token is not a token");
  }
  return {
    token: new Secret(token),
    ttlMs: auth.secondsAsMs("lease_duration"),
    renewable: auth.boolean("renewable"),
    policies: auth.strings("policies"),
    isBatch: textOf(member?.member("token_type")) === "batch",
  };
}
