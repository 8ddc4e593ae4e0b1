/**
 * Signs tokens of service accounts, as a cluster does, and checks them, as clouds do with the
 * issuer's public keys.
 */
export interface TokenIssuer {
  readonly issuer: string;
  /** A token of a service account for an audience; `lifeS` in seconds, by default ten minutes. */
  readonly sign: (claims: TokenClaims) => Promise<string>;
  /** The problem of a token, or its claims. */
  readonly check: (token: string) => Promise<{ readonly problem: string } | CheckedClaims>;
}

/** The purpose of a token. */
export interface TokenClaims {
  readonly subject: string;
  readonly audience: string;
  readonly lifeS?: number;
}

/** Claims of a token whose signature and times are right. */
export interface CheckedClaims {
  readonly sub: string;
  readonly aud: readonly string[];
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Makes an issuer with its own key. */
export async function tokenIssuer(issuer = "https://oidc.cluster.test"): Promise<TokenIssuer> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, [
    "sign",
    "verify",
  ]);
  const sign = async ({ subject, audience, lifeS = 600 }: TokenClaims) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, sub: subject, aud: [audience], iat: now - 1, exp: now + lifeS };
    const head = { alg: "ES256", typ: "JWT" };
    const text = [head, claims].map((part) => encoded(JSON.stringify(part))).join(".");
    const bytes = new TextEncoder().encode(text);
    const signature = await crypto.subtle.sign(algorithm, privateKey, bytes);
    return `${text}.${Buffer.from(signature).toString("base64url")}`;
  };
  const check = async (token: string) => {
    const [head = "", body = "", signature = ""] = token.split(".");
    const bytes = new TextEncoder().encode(`${head}.${body}`);
    const given = Buffer.from(signature, "base64url");
    if (!(await crypto.subtle.verify(algorithm, publicKey, given, bytes))) {
      return { problem: "signature" };
    }
    const { iss, sub, aud, exp } = JSON.parse(Buffer.from(body, "base64url").toString());
    if (iss !== issuer) return { problem: "issuer" };
    if (exp * 1000 <= Date.now()) return { problem: "expired" };
    return { sub: String(sub), aud: [aud].flat().map(String) };
  };
  return { issuer, sign, check };
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64url");
}
