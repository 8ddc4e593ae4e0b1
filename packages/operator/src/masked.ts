const MASK = "[secret]";

let revealAny: <T>(masked: Masked<T>) => T;

/** Something secret; prints as `[secret]` wherever it is logged, serialised or inspected. */
export class Masked<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
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
    revealAny = (masked) => masked.#value;
  }
}

/** The masked value, for the code that has to use it. Not exported from the package. */
export function unmasked<T>(masked: Masked<T>): T {
  return revealAny(masked);
}
