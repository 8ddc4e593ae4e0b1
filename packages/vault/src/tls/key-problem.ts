import type { SecretBytes } from "@svc/secret-bytes";

const DASH = 0x2d;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;
// OpenSSL's older form, whose second line says that it is encrypted.
const olderEncrypted = ["RSA", "EC", "DSA"].flatMap((kind) =>
  ["\n", "\r\n"].map((end) => `-----BEGIN ${kind} PRIVATE KEY-----${end}Proc-Type: 4,ENCRYPTED`),
);

/**
 * The certain problem of a client's private key, which stays closed; undefined if none is
 * seen. The connection reports later problems of the key.
 *
 * @param certificate the text of the certificate's file: one file may hold both, or be named twice
 */
export function keyProblem(key: SecretBytes, certificate: string): string | undefined {
  const text = key.trimmed();
  const encrypted = ["-----BEGIN ENCRYPTED PRIVATE KEY-----", ...olderEncrypted];
  if (encrypted.some((start) => text.startsWith(start))) {
    return "is encrypted, only a plain PEM key can be used";
  }
  const isCertificate = key.equals(certificate) && !PRIVATE_KEY.test(certificate);
  return isCertificate || !text.includes(DASH) ? "holds no PEM private key" : undefined;
}
