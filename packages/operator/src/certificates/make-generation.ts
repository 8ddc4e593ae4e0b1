import type { Extension, X509CertificateCreateParams } from "@peculiar/x509";
import type { GenerationPems } from "./generation.ts";
import { KeyPem } from "./key-pem.ts";
import { pemOf } from "./pem-blocks.ts";

/** The names and the lifetime of a generation. */
export interface GenerationRequest {
  /** DNS names. */
  readonly names: readonly string[];
  /** How long it is valid from now on, in milliseconds. */
  readonly lifeMs: number;
  /** In milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The prefix of the operator's authorities. */
export const AUTHORITY_NAME = "svc-operator webhook authority";

const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
/** The verifier's clock may be behind, or ours ahead. */
const BACKDATED_MS = 86_400_000;

/**
 * Makes an authority and one certificate of it, both with new P-256 keys. The authority's key
 * cannot be exported and is gone when this returns: it cannot sign another certificate.
 */
export async function makeGeneration(wanted: GenerationRequest): Promise<GenerationPems> {
  const x509 = await loadLibrary();
  const signer = await crypto.subtle.generateKey(ECDSA, false, ["sign", "verify"]);
  const own = await crypto.subtle.generateKey(ECDSA, true, ["sign", "verify"]);
  const signerId = await keyId(signer.publicKey);
  const issuer = `CN=${AUTHORITY_NAME} ${signerId.slice(0, 8)}`;
  const sign = (parts: CertificateParts): Promise<string> =>
    signed(x509, {
      issuer,
      notBefore: new Date(wanted.nowMs - BACKDATED_MS),
      notAfter: new Date(wanted.nowMs + wanted.lifeMs),
      signingAlgorithm: ECDSA,
      signingKey: signer.privateKey,
      ...parts,
    });
  const { keyCertSign, digitalSignature } = x509.KeyUsageFlags;
  const authorityPem = await sign({
    subject: issuer,
    publicKey: signer.publicKey,
    extensions: [
      // No authority below it.
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(keyCertSign, true),
      new x509.SubjectKeyIdentifierExtension(signerId),
    ],
  });
  const certificatePem = await sign({
    subject: "CN=svc-operator",
    publicKey: own.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        wanted.names.map((value) => ({ type: "dns" as const, value })),
      ),
      new x509.SubjectKeyIdentifierExtension(await keyId(own.publicKey)),
      new x509.AuthorityKeyIdentifierExtension(signerId),
    ],
  });
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", own.privateKey);
  return {
    certificatePem,
    key: new KeyPem(pemOf("PRIVATE KEY", new Uint8Array(pkcs8))),
    authorityPem,
  };
}

type Library = typeof import("@peculiar/x509");

/** Loaded by the leader alone, and when it makes a generation: that is every sixty days. */
async function loadLibrary(): Promise<Library> {
  // Its container for dependency injection wants this first.
  await import("reflect-metadata/lite");
  return import("@peculiar/x509");
}

/** The differences between the two certificates. */
interface CertificateParts {
  readonly subject: string;
  readonly publicKey: CryptoKey;
  readonly extensions: Extension[];
}

async function signed(
  { X509CertificateGenerator }: Library,
  parts: X509CertificateCreateParams,
): Promise<string> {
  // The first bit is 0 and some other is not: it is positive, as RFC 5280 (4.1.2.2) has it.
  const serialNumber = `4${Buffer.from(crypto.getRandomValues(new Uint8Array(16)))
    .toString("hex")
    .slice(1)}`;
  const certificate = await X509CertificateGenerator.create({ serialNumber, ...parts }, crypto);
  return pemOf("CERTIFICATE", new Uint8Array(certificate.rawData));
}

/**
 * RFC 7093, 2: 160 bits of the hash of the key, in hexadecimal digits. The key of P-256 is the
 * point itself.
 */
async function keyId(key: CryptoKey): Promise<string> {
  const point = await crypto.subtle.exportKey("raw", key);
  const hash = await crypto.subtle.digest("SHA-256", point);
  return Buffer.from(hash, 0, 20).toString("hex");
}
