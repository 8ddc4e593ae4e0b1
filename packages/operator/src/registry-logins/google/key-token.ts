import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { askLoginServer } from "../ask-login-server.ts";
import { loginRefused } from "../login-failure.ts";
import type { LoginWay } from "../login-way.ts";
import { fieldsOf } from "../read-answer.ts";
import type { ServiceAccountKey } from "./credentials-file.ts";
import { READ_SCOPE } from "./federated-token.ts";
import { type GoogleToken, oauthToken } from "./google-token.ts";

const STEP = "get a token for the service account's key";
const LIFE_S = 3600;
const hint = "the key may have been deleted: make a new one, or better use Workload Identity";

/**
 * Gets a token for a signed assertion (RFC 7523; Google, "Using OAuth 2.0 for server to server
 * applications").
 *
 * @throws ImageError
 */
export async function keyToken(account: ServiceAccountKey, way: LoginWay): Promise<GoogleToken> {
  const url = account.tokenUrl;
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: assertionOf(account, way),
  });
  const { text } = await askLoginServer(way, {
    step: STEP,
    url,
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: form.toString(),
    hints: { refused: hint, words: { invalid_grant: hint } },
  });
  const operation = `${way.operation}: ${STEP} at ${url.host}`;
  return oauthToken(fieldsOf(text, operation), operation);
}

function assertionOf(account: ServiceAccountKey, way: LoginWay): string {
  const { email, keyId, tokenUrl } = account;
  const now = Math.floor(Date.now() / 1000);
  const head = { alg: "RS256", typ: "JWT", ...(keyId !== undefined && { kid: keyId }) };
  const claims = {
    ...{ iss: email, scope: READ_SCOPE, aud: tokenUrl.href },
    ...{ iat: now, exp: now + LIFE_S },
  };
  const signed = [head, claims].map((part) => base64Url(JSON.stringify(part))).join(".");
  const signature = sign("RSA-SHA256", Buffer.from(signed), keyOf(account, way));
  return `${signed}.${base64Url(signature)}`;
}

/**
 * Not WebCrypto's importKey: with Bun 1.4.5 a key that it refuses leaves an error behind, with
 * which the next hash of this process fails.
 */
function keyOf({ privateKeyPem }: ServiceAccountKey, way: LoginWay): KeyObject {
  const key = privateKeyIn(privateKeyPem);
  if (key?.asymmetricKeyType === "rsa") return key;
  const found = "its field private_key is not an RSA key in PEM";
  throw loginRefused(`${way.operation}: read GOOGLE_APPLICATION_CREDENTIALS: ${found}`, { hint });
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    // The library's words are not help, and may be about the key.
    return undefined;
  }
}

function base64Url(content: string | Uint8Array): string {
  return Buffer.from(content).toString("base64url");
}
