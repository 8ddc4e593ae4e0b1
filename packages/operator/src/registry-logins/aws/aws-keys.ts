import { Masked, unmasked } from "../../masked.ts";
import { loginRefused } from "../login-failure.ts";
import { isSendable } from "../read-answer.ts";

/** Keys of an identity of AWS. */
export interface AwsKeyParts {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Keys of an identity, masked. */
export class AwsKeys extends Masked<AwsKeyParts> {}

/** The plain texts, for the signature. */
export function revealKeys(keys: AwsKeys): AwsKeyParts {
  return unmasked(keys);
}

/**
 * Keys as a server gave them.
 *
 * @throws ImageError `LOGIN_REFUSED` if one is missing or they have ended
 */
export function issuedKeys(
  found: {
    readonly accessKeyId: unknown;
    readonly secretAccessKey: unknown;
    readonly sessionToken: unknown;
    /** A time as RFC 3339 writes it. */
    readonly expiration: unknown;
  },
  operation: string,
): AwsKeys {
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = found;
  const texts = [accessKeyId, secretAccessKey, sessionToken];
  if (!texts.every((text) => typeof text === "string" && isSendable(text))) {
    const hint = "check the address of the server in the operator's environment";
    throw loginRefused(`${operation}: the answer has no keys with a session token`, { hint });
  }
  const endsMs = Date.parse(String(expiration));
  if (endsMs <= Date.now()) {
    const hint = "check the clocks of the node and of the server";
    throw loginRefused(`${operation}: the keys of the answer have ended`, { hint });
  }
  return new AwsKeys({
    accessKeyId: String(accessKeyId),
    secretAccessKey: String(secretAccessKey),
    sessionToken: String(sessionToken),
  });
}
