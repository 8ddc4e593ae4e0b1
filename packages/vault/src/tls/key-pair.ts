import type { SecretBytes } from "@svc/secret-bytes";

/** Whether a client's private key can be used, and is that of its certificate. */
export type KeyPairVerdict = "fits" | "unusable key" | "other key";

/**
 * Judges a private key beside certificates, which are known to be such, both in PEM; RFC 7468. The
 * first certificate is the client's own.
 */
export type JudgeKeyPair = (certificates: string, key: SecretBytes) => KeyPairVerdict;
