/** A key that signs JWTs, and its public half for a vault. */
export interface JwtSigner {
  readonly publicPem: string;
  /** A JWT with these claims, which expires in an hour unless they say otherwise. */
  readonly sign: (claims: object) => Promise<string>;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const HOUR_S = 3600;

/** Makes a new key. */
export async function jwtSigner(): Promise<JwtSigner> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(ALGORITHM, true, [
    "sign",
    "verify",
  ]);
  const spki = Buffer.from(await crypto.subtle.exportKey("spki", publicKey)).toString("base64");
  const sign = async (claims: object) => {
    const now = Math.floor(Date.now() / 1000);
    const header = encoded({ alg: "ES256", typ: "JWT" });
    const signed = `${header}.${encoded({ iat: now, nbf: now, exp: now + HOUR_S, ...claims })}`;
    const signature = await crypto.subtle.sign(ALGORITHM, privateKey, Buffer.from(signed));
    return `${signed}.${Buffer.from(signature).toString("base64url")}`;
  };
  return { publicPem: `-----BEGIN PUBLIC KEY-----\n${spki}\n-----END PUBLIC KEY-----\n`, sign };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
