import type { SecretBytes, SecretJson } from "@svc/secret-bytes";
import { VaultError } from "../errors/vault-error.ts";
import { statusError } from "./status-error.ts";
import type { VaultRequest, VaultResponse } from "./vault-request.ts";

/**
 * The body of a successful answer, a JSON object.
 * @throws VaultError by status, or `BAD_RESPONSE` when the body is not a JSON object
 */
export function successEnvelope(request: VaultRequest, response: VaultResponse): SecretJson {
  if (response.status < 200 || response.status > 299) throw statusError(request, response);
  const body = response.body.parseJson();
  if (body === "repeated key") {
    throw badResponse(request, "an object in the answer has the same key twice");
  }
  if (body === "not JSON" || body.kind !== "object") {
    throw badResponse(request, "the answer is not a JSON object");
  }
  return body;
}

/** The answer has not the shape that the API promises. `found` must not quote the answer. */
export function badResponse(request: VaultRequest, found: string): VaultError {
  return new VaultError("BAD_RESPONSE", `${request.operation}: ${found}`, { path: request.path });
}

/**
 * Typed access to the members of an envelope. Each opens its member, except for `secret`, and
 * throws `BAD_RESPONSE` naming the member when it is not of the type.
 */
export function memberReader(
  request: VaultRequest,
  from: SecretJson | undefined,
  at: string,
): MemberReader {
  if (from?.kind !== "object") throw badResponse(request, `${at} is not a JSON object`);
  return new MemberReader(request, from, at);
}

/** What `memberReader` gives: a class, for one is made for each answer. */
class MemberReader {
  readonly #request: VaultRequest;
  readonly #from: SecretJson;
  readonly #at: string;

  constructor(request: VaultRequest, from: SecretJson, at: string) {
    this.#request = request;
    this.#from = from;
    this.#at = at;
  }

  string(name: string): string {
    return this.#member(name, "string").open();
  }

  /** A text that stays closed. */
  secret(name: string): SecretBytes {
    return this.#member(name, "string").bytes();
  }

  boolean(name: string): boolean {
    return this.#member(name, "boolean").open() === "true";
  }

  number(name: string): number {
    return Number(this.#member(name, "number").open());
  }

  /** Seconds of the API as milliseconds; a negative duration is refused. */
  secondsAsMs(name: string): number {
    const ms = this.number(name) * 1000;
    if (ms >= 0 && ms < Number.POSITIVE_INFINITY) return ms;
    const found = `${this.#at}.${name} is not a duration of 0 s or more`;
    throw badResponse(this.#request, found);
  }

  strings(name: string): readonly string[] {
    return this.#texts(name).map((text) => text.open());
  }

  /** Texts that stay closed. */
  secrets(name: string): readonly SecretBytes[] {
    return this.#texts(name).map((text) => text.bytes());
  }

  #member(name: string, kind: SecretJson["kind"]): SecretJson {
    const value = this.#from.member(name);
    if (value?.kind === kind) return value;
    throw badResponse(this.#request, `${this.#at}.${name} is not a ${kind}`);
  }

  /** Absent counts as empty, because the API leaves out or nulls empty members. */
  #texts(name: string): readonly SecretJson[] {
    const value = this.#from.member(name);
    if (value === undefined || value.kind === "null") return [];
    if (value.kind !== "array") {
      throw badResponse(this.#request, `${this.#at}.${name} is not a list`);
    }
    return value.items().filter(({ kind }) => kind === "string");
  }
}

/** The text of a member if it is one, for optional members. */
export function textOf(member: SecretJson | undefined): string | undefined {
  return member?.kind === "string" ? member.open() : undefined;
}
