/** What a pull secret says for one registry. */
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

const MASK = "[secret]";

let reveal: (credential: RegistryCredential) => CredentialParts;

/** A credential for a registry; prints as `[secret]` wherever it is logged, serialised or inspected. */
export class RegistryCredential {
  readonly #parts: CredentialParts;
  /** Equal for equal credentials and nothing else: a key for what was learnt with it. */
  readonly fingerprint: string;

  constructor(parts: CredentialParts) {
    this.#parts = parts;
    const { username, password, identityToken, registryToken } = parts;
    this.fingerprint = new Bun.CryptoHasher("sha256", fingerprintKey)
      .update(JSON.stringify([username, password, identityToken, registryToken]))
      .digest("hex");
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return MASK;
  }

  static {
    reveal = (credential) => credential.#parts;
  }
}

/** The plain texts, for the request that carries them. Not exported from the package. */
export function revealCredential(credential: RegistryCredential): CredentialParts {
  return reveal(credential);
}
