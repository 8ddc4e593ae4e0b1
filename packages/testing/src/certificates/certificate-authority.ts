import { bitString, der, integer, objectId, sequence, time, utf8 } from "./der.ts";
import { pem } from "./pem.ts";

/** A certificate with its private key, both PEM. */
export interface Certificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** The names and the life of a certificate. */
export interface CertificateRequest {
  /** DNS names and IPv4 addresses; by default `127.0.0.1` and `localhost`. */
  readonly names?: readonly string[];
  /** End of validity in milliseconds since the epoch; by default in a day. */
  readonly expiresMs?: number;
}

/** A certificate authority that lives as long as a test. */
export interface CertificateAuthority {
  readonly certificatePem: string;
  /** Issues a certificate for servers and clients alike. */
  readonly issue: (wanted?: CertificateRequest) => Promise<Certificate>;
}

const DAY_MS = 86_400_000;
/** The curve of all keys of an authority; FIPS 186-5. */
export type Curve = "P-256" | "P-384" | "P-521";
const ECDSA_WITH_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));

/** Makes an authority with a fresh key, so that no private key lies in the repository. */
export async function certificateAuthority(
  name = "svc test CA",
  curve: Curve = "P-256",
): Promise<CertificateAuthority> {
  const keys = await generateKeys(curve);
  const issuer = distinguishedName(name);
  const sign = (fields: Omit<Fields, "issuer">) =>
    certificatePem({ ...fields, issuer }, keys.privateKey);
  const own = { subject: issuer, key: keys.publicKey, expiresMs: Date.now() + DAY_MS };
  return {
    certificatePem: await sign({ ...own, extensions: CA_EXTENSIONS }),
    issue: async ({ names = ["127.0.0.1", "localhost"], expiresMs = Date.now() + DAY_MS } = {}) => {
      const leaf = await generateKeys(curve);
      const subject = distinguishedName(names[0] ?? "nobody");
      const extensions = [subjectAltName(names)];
      const pem = await sign({ subject, key: leaf.publicKey, expiresMs, extensions });
      return { certificatePem: pem, keyPem: await keyPem(leaf.privateKey) };
    },
  };
}

interface Fields {
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly key: CryptoKey;
  readonly expiresMs: number;
  readonly extensions: readonly Uint8Array[];
}

/** RFC 5280 section 4.1: the certificate to be signed, the algorithm, the signature. */
async function certificatePem(fields: Fields, signer: CryptoKey): Promise<string> {
  const version3 = der(0xa0, integer(Uint8Array.of(2)));
  const serial = integer(crypto.getRandomValues(new Uint8Array(16)));
  const begins = Math.min(Date.now(), fields.expiresMs) - DAY_MS;
  const body = sequence(
    version3,
    serial,
    ECDSA_WITH_SHA256,
    fields.issuer,
    sequence(time(begins), time(fields.expiresMs)),
    fields.subject,
    new Uint8Array(await crypto.subtle.exportKey("spki", fields.key)),
    der(0xa3, sequence(...fields.extensions)),
  );
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const raw = new Uint8Array(await crypto.subtle.sign(algorithm, signer, Buffer.from(body)));
  const half = raw.length / 2;
  const signature = sequence(integer(raw.subarray(0, half)), integer(raw.subarray(half)));
  return pem("CERTIFICATE", sequence(body, ECDSA_WITH_SHA256, bitString(signature)));
}

async function generateKeys(namedCurve: Curve): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey({ name: "ECDSA", namedCurve }, true, ["sign", "verify"]);
}

async function keyPem(key: CryptoKey): Promise<string> {
  return pem("PRIVATE KEY", new Uint8Array(await crypto.subtle.exportKey("pkcs8", key)));
}

function distinguishedName(commonName: string): Uint8Array {
  return sequence(der(0x31, sequence(objectId("2.5.4.3"), utf8(commonName))));
}

function extension(id: string, critical: boolean, value: Uint8Array): Uint8Array {
  const flag = critical ? [der(0x01, Uint8Array.of(0xff))] : [];
  return sequence(objectId(id), ...flag, der(0x04, value));
}

const IS_CA = sequence(der(0x01, Uint8Array.of(0xff)));
/** keyCertSign and cRLSign. */
const MAY_SIGN = der(0x03, Uint8Array.of(1, 0x06));
const CA_EXTENSIONS = [extension("2.5.29.19", true, IS_CA), extension("2.5.29.15", true, MAY_SIGN)];

function subjectAltName(names: readonly string[]): Uint8Array {
  const entries = names.map((name) =>
    /^[\d.]+$/.test(name)
      ? der(0x87, Uint8Array.from(name.split(".").map(Number)))
      : der(0x82, Buffer.from(name)),
  );
  return extension("2.5.29.17", false, sequence(...entries));
}
