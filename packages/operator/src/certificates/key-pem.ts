const MASK = "[secret]";

let reveal: (key: KeyPem) => string;

/** A private key in PEM; prints as `[secret]` wherever it is logged, serialised or inspected. */
export class KeyPem {
  readonly #pem: string;

  constructor(pem: string) {
    this.#pem = pem;
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
    reveal = (key) => key.#pem;
  }
}

/** The plain text, for the server that uses it and the Secret that keeps it. Not exported from the package. */
export function revealKey(key: KeyPem): string {
  return reveal(key);
}
