import type { SecretBytes, SecretJson } from "../secret-bytes.ts";
import { type ExactJson, fieldText, isExactNumber, isJsonObject } from "./exact-json.ts";

type SecretOfText = (text: string) => SecretBytes;

/** A JSON value in this process's heap. It prints as `[secret]`. */
export class HeapJson implements SecretJson {
  readonly #value: ExactJson;
  readonly #secretOfText: SecretOfText;

  constructor(value: ExactJson, secretOfText: SecretOfText) {
    this.#value = value;
    this.#secretOfText = secretOfText;
  }

  get kind(): SecretJson["kind"] {
    return kindOf(this.#value);
  }

  keys(): readonly string[] {
    return isJsonObject(this.#value) ? Object.keys(this.#value) : [];
  }

  member(name: string): SecretJson | undefined {
    if (!isJsonObject(this.#value) || !Object.hasOwn(this.#value, name)) return undefined;
    const value = this.#value[name];
    return value === undefined ? undefined : this.#closed(value);
  }

  items(): readonly SecretJson[] {
    return Array.isArray(this.#value) ? this.#value.map((item) => this.#closed(item)) : [];
  }

  isWellFormed(): boolean {
    return isWellFormed(this.#value);
  }

  bytes(): SecretBytes {
    return this.#secretOfText(this.open());
  }

  open(): string {
    return fieldText(this.#value) ?? "null";
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[secret]";
  }

  #closed(value: ExactJson): SecretJson {
    return new HeapJson(value, this.#secretOfText);
  }
}

function kindOf(value: ExactJson): SecretJson["kind"] {
  if (value === null) return "null";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  if (isExactNumber(value)) return "number";
  return isJsonObject(value) ? "object" : "array";
}

function isWellFormed(value: ExactJson): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (isJsonObject(value)) {
    return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
  }
  return Array.isArray(value) ? value.every(isWellFormed) : true;
}
