import type { ReviewedAccount } from "./token-review.ts";

/**
 * A JWT with a service account's claims and a signature that means nothing: TokenReview decides.
 */
export function serviceAccountJwt(account: ReviewedAccount, lifetimeSeconds = 3600): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: "https://kubernetes.default.svc",
    sub: `system:serviceaccount:${account.namespace}:${account.name}`,
    aud: account.audiences,
    iat: now,
    nbf: now,
    exp: now + lifetimeSeconds,
    "kubernetes.io": {
      namespace: account.namespace,
      serviceaccount: { name: account.name, uid: account.uid },
    },
  };
  const signature = crypto.getRandomValues(new Uint8Array(64)).toBase64({ alphabet: "base64url" });
  const header = { alg: "RS256", kid: "test" };
  return [encode(header), encode(claims), signature.replaceAll("=", "")].join(".");
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
