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
const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;

/**
 * Gets a token for a signed assertion (RFC 7523; Google, "Using OAuth 2.0 for server to server applications").
 *
 * @throws ImageError
 */
export async function keyToken(account: ServiceAccountKey, way: LoginWay): Promise<GoogleToken> {
  const url = account.tokenUrl;
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: await assertionOf(account, way),
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

async function assertionOf(account: ServiceAccountKey, way: LoginWay): Promise<string> {
  const { email, keyId, tokenUrl } = account;
  const now = Math.floor(Date.now() / 1000);
  const head = { alg: "RS256", typ: "JWT", ...(keyId !== undefined && { kid: keyId }) };
  const claims = {
    ...{ iss: email, scope: READ_SCOPE, aud: tokenUrl.href },
    ...{ iat: now, exp: now + LIFE_S },
  };
  const signed = [head, claims].map((part) => base64Url(JSON.stringify(part))).join(".");
  const signature = await crypto.subtle.sign(
    algorithm.name,
    await keyOf(account, way),
    new TextEncoder().encode(signed),
  );
  return `${signed}.${base64Url(new Uint8Array(signature))}`;
}

async function keyOf({ privateKeyPem }: ServiceAccountKey, way: LoginWay): Promise<CryptoKey> {
  const base64 = privateKeyPem.replace(/-----[A-Z ]+-----/g, "").replace(/\s+/g, "");
  try {
    const bytes = Buffer.from(base64, "base64");
    return await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
  } catch {
    // The library's words are no help, and may be about the key.
    const found = "its field private_key is no RSA key in PKCS #8";
    throw loginRefused(`${way.operation}: read GOOGLE_APPLICATION_CREDENTIALS: ${found}`, { hint });
  }
}

function base64Url(content: string | Uint8Array): string {
  return Buffer.from(content).toString("base64url");
}
