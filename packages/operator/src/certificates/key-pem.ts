import { Masked, unmasked } from "../masked.ts";

/** A private key in PEM. */
export class KeyPem extends Masked<string> {}

/** The plain text, for the server that uses it and the Secret that keeps it. */
export function revealKey(key: KeyPem): string {
  return unmasked(key);
}
