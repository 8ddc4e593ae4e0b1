import { type Envelope, successEnvelope } from "./envelope.ts";
import { isJsonObject } from "./exact-json.ts";
import { reveal, Secret } from "./secret.ts";
import { parseSecretPath } from "./secret-path.ts";
import { statusError } from "./status-error.ts";
import { call, type VaultCaller } from "./vault-caller.ts";
import type { VaultRequest } from "./vault-request.ts";

/** A value of a field that is written. */
export type WrittenValue =
  | string
  | number
  | boolean
  | Secret
  | readonly string[]
  | Readonly<Record<string, string>>;

/** The fields that are written. A `Secret` becomes text only when it is sent, and is never in an error. */
export type WrittenFields = Readonly<Record<string, WrittenValue>>;

/** What is stored at a path: mounts, a policy, a role. */
export type StoredFields = Envelope;

/** Who writes, where, and what. */
export interface FieldWrite {
  readonly token?: Secret | undefined;
  /** Below `/v1/`. */
  readonly path: string;
  readonly fields: WrittenFields;
}

/** GET /v1/<path>: its `data`, or undefined where there is nothing (404). */
export async function readFields(
  caller: VaultCaller,
  token: Secret,
  path: string,
): Promise<StoredFields | undefined> {
  const { text, encoded } = parseSecretPath(path);
  const operation = `read ${text}`;
  const request: VaultRequest = { operation, method: "GET", target: encoded, path: text, token };
  return call(caller, request, (response) => {
    if (response.status === 404) return undefined;
    const { data } = successEnvelope(request, response);
    return isJsonObject(data) ? data : {};
  });
}

/** POST /v1/<path>; what it answers does not matter. Sent again as the error catalogue says. */
export async function writeFields(
  caller: VaultCaller,
  { token, path, fields }: FieldWrite,
): Promise<void> {
  const { text, encoded } = parseSecretPath(path);
  const request: VaultRequest = {
    operation: `write ${text}`,
    method: "POST",
    target: encoded,
    path: text,
    token,
    sent: Object.values(fields).filter((value) => value instanceof Secret),
    body: () => JSON.stringify(revealed(fields)),
  };
  return call(caller, request, (response) => {
    if (response.status < 200 || response.status > 299) throw statusError(request, response);
  });
}

function revealed(fields: WrittenFields): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Secret ? reveal(value) : value]),
  );
}
