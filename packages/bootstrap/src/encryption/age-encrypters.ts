import { quoted } from "@svc/settings";
import { Secret } from "@svc/vault";
import type { Encrypter } from "age-encryption";
import { BootstrapError } from "../bootstrap-error.ts";

/** Encrypts one secret to one recipient, as the base64 of an age file. */
export type AgeEncrypt = (secret: Secret) => Promise<Secret>;

/**
 * Makes an encrypter for each of the recipients, and tries it.
 * @throws BootstrapError `AGE_RECIPIENT_UNUSABLE`, which names each recipient that cannot be
 * encrypted to
 */
export async function ageEncrypters(recipients: readonly string[]): Promise<readonly AgeEncrypt[]> {
  // Only when it is needed: it takes longer to load than all else before the first request.
  const age = await import("age-encryption");
  const tried = await Promise.all(
    recipients.map((recipient) => tryRecipient(new age.Encrypter(), recipient)),
  );
  const faults = tried.flatMap((it) => ("fault" in it ? [it.fault] : []));
  if (faults.length > 0) {
    const message = `encrypt to age recipients: ${[...new Set(faults)].join("; ")}`;
    throw new BootstrapError("AGE_RECIPIENT_UNUSABLE", message);
  }
  return tried.flatMap((it) => ("encrypt" in it ? [it.encrypt] : []));
}

type Tried = { readonly encrypt: AgeEncrypt } | { readonly fault: string };

/** Some texts are recipients by their form and still no keys, which shows when they are used. */
async function tryRecipient(encrypter: Encrypter, recipient: string): Promise<Tried> {
  const encrypt: AgeEncrypt = (secret) => encryptTo(encrypter, secret);
  try {
    encrypter.addRecipient(recipient);
    await encrypt(new Secret("x"));
    return { encrypt };
  } catch {
    // The library's message names no recipient, and may quote any input.
    return { fault: `${quoted(recipient)} is not a key` };
  }
}

async function encryptTo(encrypter: Encrypter, secret: Secret): Promise<Secret> {
  const plain = new Uint8Array(secret.byteLength);
  secret.writeTo(plain);
  try {
    return new Secret((await encrypter.encrypt(plain)).toBase64());
  } finally {
    plain.fill(0);
  }
}
