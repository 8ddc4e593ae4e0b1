import { pem } from "../certificates/pem.ts";

/** The pair that an API server signs and checks service account tokens with, both PEM. */
export interface TokenSigningKeys {
  readonly privatePem: string;
  readonly publicPem: string;
}

/** Makes an RSA pair, as kubeadm does, so that tokens are of the kind that clusters give. */
export async function tokenSigningKeys(): Promise<TokenSigningKeys> {
  const keys = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: "SHA-256",
    },
    true,
    ["sign", "verify"],
  );
  const [own, open] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", keys.privateKey),
    crypto.subtle.exportKey("spki", keys.publicKey),
  ]);
  return {
    privatePem: pem("PRIVATE KEY", new Uint8Array(own)),
    publicPem: pem("PUBLIC KEY", new Uint8Array(open)),
  };
}
