import { badResponse, memberReader, successEnvelope } from "../http/envelope.ts";
import { jsonBody } from "../http/json-body.ts";
import { call, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest, VaultResponse } from "../http/vault-request.ts";
import { parseSecretPath } from "../kv/secret-path.ts";
import { Secret } from "../values/secret.ts";

/** A login with the token of a Kubernetes service account. */
export interface KubernetesLogin {
  /** Below `auth/`, for example `kubernetes`. */
  readonly mountPath: string;
  readonly role: string;
  /** The projected token of the service account. */
  readonly jwt: Secret;
  /**
   * How long a 403 counts as passing, in milliseconds. Default 0.
   * Standby nodes of an HA vault refuse logins for up to 60 s after auth/<mount>/config is written.
   */
  readonly retryDeniedForMs?: number | undefined;
}

/** The result of a login. */
export interface Login {
  readonly token: Secret;
  /** 0 when the token never expires. */
  readonly ttlMs: number;
  readonly renewable: boolean;
  readonly policies: readonly string[];
}

/** POST /v1/auth/<mount>/login. A login may be repeated: an unused token just expires. */
export function loginKubernetes(caller: VaultCaller, login: KubernetesLogin): Promise<Login> {
  const { role, jwt, retryDeniedForMs } = login;
  const path = parseSecretPath(`auth/${login.mountPath}/login`);
  const request: VaultRequest = {
    operation: `login at ${path.text} with role ${JSON.stringify(role)}`,
    method: "POST",
    target: path.encoded,
    path: path.text,
    body: jsonBody({ role, jwt }),
    hints: {
      // To strangers a vault says 403 for a mount that does not exist, too.
      DENIED:
        "check VAULT_AUTH_MOUNT_PATH, and that the role is bound to this service account, its namespace and the audience of its token",
      NOT_FOUND: "check VAULT_AUTH_MOUNT_PATH and VAULT_NAMESPACE",
    },
  };
  return call(caller, request, (response) => readLogin(request, response), { retryDeniedForMs });
}

function readLogin(request: VaultRequest, response: VaultResponse): Login {
  const auth = memberReader(request, successEnvelope(request, response).member("auth"), "auth");
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
  };
}
