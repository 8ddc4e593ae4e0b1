import {
  bitString,
  der,
  integer,
  isTrue,
  objectId,
  octets,
  sequence,
  setOf,
  time,
  utf8,
} from "./der.ts";
import type { GenerationPems } from "./generation.ts";
import { KeyPem } from "./key-pem.ts";
import { pemOf } from "./pem-blocks.ts";

/** Whom a generation is for and how long. */
export interface GenerationWish {
  /** DNS names. */
  readonly names: readonly string[];
  /** How long it is valid from now on, in milliseconds. */
  readonly lifeMs: number;
  /** In milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What the name of an authority of ours begins with. */
export const AUTHORITY_NAME = "svc-operator webhook authority";

const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const ECDSA_WITH_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));
/** The clock of who verifies may be behind, or ours ahead. */
const BACKDATED_MS = 86_400_000;

/**
 * Makes an authority and one certificate of it, both with new P-256 keys. The authority's key cannot be exported and is
 * gone when this returns: nobody can have it sign another certificate.
 */
export async function makeGeneration(wish: GenerationWish): Promise<GenerationPems> {
  const signer = await crypto.subtle.generateKey(ECDSA, false, ["sign", "verify"]);
  const own = await crypto.subtle.generateKey(ECDSA, true, ["sign", "verify"]);
  const signerSpki = await exported("spki", signer.publicKey);
  const ownSpki = await exported("spki", own.publicKey);
  const signerId = await keyId(signerSpki);
  const mark = Buffer.from(signerId.subarray(0, 4)).toString("hex");
  const issuer = commonName(`${AUTHORITY_NAME} ${mark}`);
  const times = { beginsMs: wish.nowMs - BACKDATED_MS, expiresMs: wish.nowMs + wish.lifeMs };
  const sign = (parts: Pick<Certified, "subject" | "spki" | "extensions">) =>
    signed({ ...times, issuer, ...parts }, signer.privateKey);
  const authorityPem = await sign({
    subject: issuer,
    spki: signerSpki,
    extensions: [...authorityUses, subjectKeyId(signerId)],
  });
  const certificatePem = await sign({
    subject: commonName("svc-operator"),
    spki: ownSpki,
    extensions: [
      ...servingUses,
      subjectAltName(wish.names),
      subjectKeyId(await keyId(ownSpki)),
      authorityKeyId(signerId),
    ],
  });
  const key = new KeyPem(pemOf("PRIVATE KEY", await exported("pkcs8", own.privateKey)));
  return { certificatePem, key, authorityPem };
}

/** What a certificate says. */
interface Certified {
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly beginsMs: number;
  readonly expiresMs: number;
  readonly spki: Uint8Array;
  readonly extensions: readonly Uint8Array[];
}

/** RFC 5280, 4.1: what is signed, the algorithm, the signature. */
async function signed(certified: Certified, signer: CryptoKey): Promise<string> {
  const { issuer, subject, beginsMs, expiresMs, spki, extensions } = certified;
  const version3 = der(0xa0, integer(Uint8Array.of(2)));
  const body = sequence(
    version3,
    integer(crypto.getRandomValues(new Uint8Array(16))),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(time(beginsMs), time(expiresMs)),
    subject,
    spki,
    der(0xa3, sequence(...extensions)),
  );
  const raw = new Uint8Array(await crypto.subtle.sign(ECDSA, signer, Buffer.from(body)));
  // Web Crypto gives both numbers one behind the other, a certificate has them as a SEQUENCE (RFC 3279, 2.2.3).
  const signature = sequence(integer(raw.subarray(0, 32)), integer(raw.subarray(32)));
  return pemOf("CERTIFICATE", sequence(body, ECDSA_WITH_SHA256, bitString(signature)));
}

async function exported(
  format: "spki" | "pkcs8",
  key: CryptoKey,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.exportKey(format, key));
}

/** RFC 7093, 2: 160 bits of the hash of the key. The key is the last 65 bytes of what says that it is of P-256. */
async function keyId(spki: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const hash = await crypto.subtle.digest("SHA-256", spki.subarray(-65));
  return new Uint8Array(hash, 0, 20);
}

function commonName(text: string): Uint8Array {
  return sequence(setOf(sequence(objectId("2.5.4.3"), utf8(text))));
}

function extension(id: string, value: Uint8Array, isCritical = false): Uint8Array {
  return sequence(objectId(id), ...(isCritical ? [isTrue] : []), octets(value));
}

/** No authority below it; keyCertSign. */
const authorityUses = [
  extension("2.5.29.19", sequence(isTrue, integer(Uint8Array.of(0))), true),
  extension("2.5.29.15", bitString(Uint8Array.of(0b0000_0100), 2), true),
];

/** No authority; digitalSignature; serverAuth. */
const servingUses = [
  extension("2.5.29.19", sequence(), true),
  extension("2.5.29.15", bitString(Uint8Array.of(0b1000_0000), 7), true),
  extension("2.5.29.37", sequence(objectId("1.3.6.1.5.5.7.3.1"))),
];

function subjectAltName(names: readonly string[]): Uint8Array {
  return extension("2.5.29.17", sequence(...names.map((name) => der(0x82, Buffer.from(name)))));
}

function subjectKeyId(id: Uint8Array): Uint8Array {
  return extension("2.5.29.14", octets(id));
}

function authorityKeyId(id: Uint8Array): Uint8Array {
  return extension("2.5.29.35", sequence(der(0x80, id)));
}
