import type { Fields } from "../../image/json-fields.ts";
import { RegistryCredential } from "../../image/registry-credential.ts";
import { loginRefused } from "../login-failure.ts";
import type { IssuedLogin } from "../login-provider.ts";
import { tokenOf } from "../read-answer.ts";

/** An access token of Google. */
export interface GoogleToken {
  readonly token: string;
  readonly lifeMs: number;
}

/**
 * An access token as OAuth's answers have it (RFC 6749, section 5.1).
 *
 * @throws ImageError `LOGIN_REFUSED`
 */
export function oauthToken(fields: Fields, operation: string): GoogleToken {
  const token = tokenOf(fields["access_token"], "access token", operation);
  return { token, lifeMs: lifeOf(Number(fields["expires_in"]) * 1000, operation) };
}

/**
 * A token's life, if its server says one.
 *
 * @throws ImageError `LOGIN_REFUSED` if the token has ended, or its life is not said
 */
export function lifeOf(lifeMs: number, operation: string): number {
  if (lifeMs > 0) return lifeMs;
  const hint = "check the clocks of the node and of the server";
  throw loginRefused(`${operation}: the answer has no token that still lives`, { hint });
}

/**
 * The credential for registries of Google: the token as a password (Artifact Registry,
 * "Authentication methods").
 */
export function googleLogin({ token, lifeMs }: GoogleToken): IssuedLogin {
  const credential = new RegistryCredential({ username: "oauth2accesstoken", password: token });
  return { credentials: [credential], lifeMs };
}
