import type { KeyPem } from "./key-pem.ts";

/** A certificate that others are verified by. */
export interface Authority {
  readonly pem: string;
  /** SHA-256 of the certificate, in hexadecimal digits with colons. */
  readonly id: string;
  /** In milliseconds since the epoch. */
  readonly expiresMs: number;
  /** Whether the operator has made it, going by its name. */
  readonly isOwn: boolean;
}

/** A serving certificate with its key, and the authority that signed it and nothing else. */
export interface Generation {
  /** SHA-256 of the certificate. */
  readonly id: string;
  readonly certificatePem: string;
  readonly key: KeyPem;
  readonly authority: Authority;
  /** The DNS names that it is for. */
  readonly names: readonly string[];
  /** When the first of the two certificates ends, in milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** The texts of a generation, as they are kept. */
export interface GenerationPems {
  readonly certificatePem: string;
  readonly key: KeyPem;
  readonly authorityPem: string;
}
