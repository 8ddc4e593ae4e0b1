import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Authority, Generation, GenerationPems } from "./generation.ts";
import { type KeyPem, revealKey } from "./key-pem.ts";
import { AUTHORITY_NAME } from "./make-generation.ts";
import { certificateBlocks } from "./pem-blocks.ts";

/** A value, or why the texts do not make one; without anything that is in them. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** A certificate and the key that belongs to it. */
export interface CheckedPair {
  readonly id: string;
  readonly names: readonly string[];
  readonly expiresMs: number;
}

/**
 * Checks that a certificate is one, and that the key is its key. Whether it is still valid is not
 * looked at.
 */
export function checkPair(certificatePem: string, key: KeyPem): Checked<CheckedPair> {
  const leaf = readCertificate(certificatePem);
  if (leaf === undefined) return bad("the certificate is not one in PEM");
  const isPair = isKeyOf(leaf, key);
  if (isPair === undefined) return bad("the private key is not one in PEM");
  if (!isPair) return bad("the private key is another certificate's");
  return { ok: true, value: pairOf(leaf) };
}

/** Checks the texts of a generation: three of them, which belong together. */
export function parseGeneration(pems: GenerationPems): Checked<Generation> {
  const { certificatePem, key, authorityPem } = pems;
  const pair = checkPair(certificatePem, key);
  if (!pair.ok) return pair;
  const ca = readCertificate(authorityPem);
  if (ca === undefined) return bad("the authority's certificate is not one in PEM");
  if (!ca.ca) return bad("the authority's certificate is not one of an authority");
  if (!new X509Certificate(certificatePem).verify(ca.publicKey)) {
    return bad("the certificate is not signed by the authority");
  }
  const authority = authorityOf(ca);
  const expiresMs = Math.min(pair.value.expiresMs, authority.expiresMs);
  return { ok: true, value: { ...pair.value, certificatePem, key, authority, expiresMs } };
}

/**
 * The authorities in a text. Invalid ones are counted, and do not stop the others from being read.
 */
export function parseAuthorities(text: string): {
  readonly authorities: readonly Authority[];
  readonly unreadable: number;
} {
  const blocks = certificateBlocks(text);
  const certificates = blocks.flatMap((block) => readCertificate(block) ?? []);
  const authorities = certificates.filter(({ ca }) => ca).map(authorityOf);
  return { authorities, unreadable: blocks.length - authorities.length };
}

/** True if a certificate is for a name, which it may say with a wildcard. */
export function isFor(certificatePem: string, name: string): boolean {
  return readCertificate(certificatePem)?.checkHost(name) !== undefined;
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** Undefined if the key is invalid. The runtime's message about it is not passed on. */
function isKeyOf(certificate: X509Certificate, key: KeyPem): boolean | undefined {
  try {
    return certificate.checkPrivateKey(createPrivateKey(revealKey(key)));
  } catch {
    return undefined;
  }
}

function pairOf(leaf: X509Certificate): CheckedPair {
  const names = (leaf.subjectAltName ?? "").split(", ").flatMap((entry) => {
    const [kind, name = ""] = entry.split(":");
    return kind === "DNS" ? [name] : [];
  });
  return { id: leaf.fingerprint256, names, expiresMs: Date.parse(leaf.validTo) };
}

function authorityOf(ca: X509Certificate): Authority {
  const isOwn = ca.subject.startsWith(`CN=${AUTHORITY_NAME} `);
  return { pem: ca.toString(), id: ca.fingerprint256, expiresMs: Date.parse(ca.validTo), isOwn };
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
