import { parseUrl, type UrlParts } from "svc:engine";

/** URL Standard, section 6.1, without setters and searchParams. */
export class URL implements UrlParts {
  readonly #parts: UrlParts;

  /** @throws TypeError if the text is not a URL */
  constructor(text: string | URL, base?: string | URL) {
    const parts = parse(text, base);
    if (parts === undefined) throw new TypeError("the text is not a URL");
    this.#parts = parts;
  }

  /** null if the text is not a URL. */
  static parse(text: string | URL, base?: string | URL): URL | null {
    return URL.canParse(text, base) ? new URL(text, base) : null;
  }

  static canParse(text: string | URL, base?: string | URL): boolean {
    return parse(text, base) !== undefined;
  }

  get href(): string {
    return this.#parts.href;
  }

  get protocol(): string {
    return this.#parts.protocol;
  }

  get username(): string {
    return this.#parts.username;
  }

  get password(): string {
    return this.#parts.password;
  }

  get host(): string {
    return this.#parts.host;
  }

  get hostname(): string {
    return this.#parts.hostname;
  }

  get port(): string {
    return this.#parts.port;
  }

  get pathname(): string {
    return this.#parts.pathname;
  }

  get search(): string {
    return this.#parts.search;
  }

  get hash(): string {
    return this.#parts.hash;
  }

  get origin(): string {
    return this.#parts.origin;
  }

  toString(): string {
    return this.href;
  }

  toJSON(): string {
    return this.href;
  }
}

/** A text of IDL's type USVString has no lone surrogate. */
function parse(text: string | URL, base: string | URL | undefined): UrlParts | undefined {
  return parseUrl(String(text).toWellFormed(), base && String(base).toWellFormed());
}
