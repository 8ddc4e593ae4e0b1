import { type ExactJson, isExactNumber, isJsonObject, parseExactJson } from "./exact-json.ts";
import { hasRepeatedKey } from "./repeated-key.ts";
import { statusError } from "./status-error.ts";
import { VaultError } from "./vault-error.ts";
import type { VaultRequest, VaultResponse } from "./vault-request.ts";

/** A JSON object of the vault's, numbers exact. */
export type Envelope = Readonly<Record<string, ExactJson>>;

/**
 * The body of a successful answer.
 * @throws VaultError by status, or `BAD_RESPONSE` when the body is not a JSON object
 */
export function successEnvelope(request: VaultRequest, response: VaultResponse): Envelope {
  if (response.status < 200 || response.status > 299) throw statusError(request, response);
  const body = parseExactJson(response.body);
  if (!isJsonObject(body)) throw badResponse(request, "the answer is not a JSON object");
  if (hasRepeatedKey(response.body)) {
    throw badResponse(request, "an object in the answer has the same key twice");
  }
  return body;
}

/** The answer has not the shape that the API promises. `found` must not quote the answer. */
export function badResponse(request: VaultRequest, found: string): VaultError {
  return new VaultError("BAD_RESPONSE", `${request.operation}: ${found}`, { path: request.path });
}

/**
 * Typed access to the members of an envelope.
 * Each throws `BAD_RESPONSE` naming the member when it is not of the type.
 */
export function memberReader(request: VaultRequest, from: ExactJson | undefined, at: string) {
  if (!isJsonObject(from)) throw badResponse(request, `${at} is not a JSON object`);
  const wrong = (name: string, type: string) =>
    badResponse(request, `${at}.${name} is not a ${type}`);
  return {
    string(name: string): string {
      const value = from[name];
      if (typeof value !== "string") throw wrong(name, "string");
      return value;
    },
    boolean(name: string): boolean {
      const value = from[name];
      if (typeof value !== "boolean") throw wrong(name, "boolean");
      return value;
    },
    number(name: string): number {
      const value = from[name];
      if (!isExactNumber(value)) throw wrong(name, "number");
      return Number(value.rawJSON);
    },
    /** Seconds of the API as milliseconds; a negative duration is refused. */
    secondsAsMs(name: string): number {
      const ms = this.number(name) * 1000;
      if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) throw wrong(name, "duration of 0 s or more");
      return ms;
    },
    /** Absent counts as none, as the API leaves out or nulls what is empty. */
    strings(name: string): readonly string[] {
      const value = from[name] ?? [];
      if (!Array.isArray(value)) throw wrong(name, "list");
      return value.filter((item) => typeof item === "string");
    },
  };
}
