import { DevStoreError } from "../model/errors.ts";
import type { SecretsProblem } from "./parsed-file.ts";

/**
 * The first problem of a JSON text with its line: a syntax error, or a key that an object has
 * twice. `JSON.parse` reports no place for a syntax error, and accepts a repeated key. Undefined
 * when the text is JSON without duplicate keys.
 */
export function findJsonProblem(text: string): SecretsProblem | undefined {
  const reader = new JsonReader(text);
  try {
    reader.document();
    return undefined;
  } catch (error) {
    if (!(error instanceof DevStoreError)) throw error;
    return { line: text.slice(0, reader.offset).split("\n").length, message: error.message };
  }
}

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** Reads the grammar of RFC 8259 and keeps nothing. */
class JsonReader {
  offset = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value();
    this.#take(SPACE);
    if (this.offset < this.#text.length) this.#stop("has text after its end");
  }

  #value(): void {
    this.#take(SPACE);
    const first = this.#text.charAt(this.offset);
    if (first === "{") this.#object();
    else if (first === "[") this.#array();
    else if (this.#string() === undefined && this.#take(SCALAR) === undefined) {
      this.#stop(first === "" ? "ends too early" : "must have a value here");
    }
  }

  #object(): void {
    const keys = new Set<string>();
    this.#members("}", () => {
      const key = this.#string() ?? this.#stop("must have a quoted name here");
      if (keys.has(key)) this.#stop(`has the name ${key} twice`);
      keys.add(key);
      this.#expect(":");
      this.#value();
    });
  }

  #array(): void {
    this.#members("]", () => this.#value());
  }

  #members(close: string, member: () => void): void {
    this.offset += 1;
    if (this.#found(close)) return;
    do {
      this.#take(SPACE);
      member();
    } while (this.#found(","));
    this.#expect(close);
  }

  #expect(character: string): void {
    if (!this.#found(character)) this.#stop(`must have "${character}" here`);
  }

  #found(character: string): boolean {
    this.#take(SPACE);
    if (this.#text.charAt(this.offset) !== character) return false;
    this.offset += 1;
    return true;
  }

  /** A string token; its escapes are left to `JSON.parse` to judge. */
  #string(): string | undefined {
    const start = this.offset;
    const token = this.#take(STRING);
    if (token === undefined || isJson(token)) return token;
    this.offset = start;
    return this.#stop("has a text with a bad escape or a control character here");
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.#text)?.[0];
    this.offset += match?.length ?? 0;
    return match;
  }

  #stop(what: string): never {
    throw new DevStoreError("BAD_FILE", `JSON: ${what}`);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Its message would quote the text, and the text may be a secret.
    return false;
  }
}
