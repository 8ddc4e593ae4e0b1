import { Masked, unmasked } from "../masked.ts";

/** The credential of a pull secret for one registry. */
export interface CredentialParts {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Exchanged for an access token at the registry's token server. */
  readonly identityToken?: string | undefined;
  /** Sent to the registry as it is. */
  readonly registryToken?: string | undefined;
}

// Without a key, a fingerprint in a heap dump would let passwords be guessed.
const fingerprintKey = crypto.getRandomValues(new Uint8Array(32));

/** A credential for a registry. */
export class RegistryCredential extends Masked<CredentialParts> {
  /** Equal for equal credentials and nothing else: a key for its results. */
  readonly fingerprint: string;

  constructor(parts: CredentialParts) {
    super(parts);
    const { username, password, identityToken, registryToken } = parts;
    this.fingerprint = new Bun.CryptoHasher("sha256", fingerprintKey)
      .update(JSON.stringify([username, password, identityToken, registryToken]))
      .digest("hex");
  }
}

/** The plain texts, for the request that carries them. */
export function revealCredential(credential: RegistryCredential): CredentialParts {
  return unmasked(credential);
}
