import { successEnvelope } from "../http/envelope.ts";
import { type JsonMember, jsonBody } from "../http/json-body.ts";
import { isJsonObject, type OpenedJson, openJson } from "../http/opened-json.ts";
import { statusError } from "../http/status-error.ts";
import { call, type VaultCaller } from "../http/vault-caller.ts";
import type { VaultRequest } from "../http/vault-request.ts";
import type { Secret } from "../values/secret.ts";
import { parseSecretPath } from "./secret-path.ts";

/** A value of a field that is written. */
export type WrittenValue = Exclude<JsonMember, undefined>;

/**
 * The fields that are written. A `Secret` becomes text only when it is sent, and is never in an
 * error.
 */
export type WrittenFields = Readonly<Record<string, WrittenValue>>;

/** The data stored at a path: mounts, a policy, a role. */
export type StoredFields = Readonly<Record<string, OpenedJson>>;

/** The inputs of a write. */
export interface FieldWrite {
  readonly token?: Secret | undefined;
  /** Below `/v1/`. */
  readonly path: string;
  readonly fields: WrittenFields;
}

/** GET /v1/<path>: its `data`, or undefined if there is nothing (404). */
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
    const data = successEnvelope(request, response).member("data");
    const opened = data === undefined ? {} : openJson(data);
    return isJsonObject(opened) ? opened : {};
  });
}

/** POST /v1/<path>; its answer does not matter. Sent again as the error catalogue says. */
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
    body: jsonBody(fields),
  };
  return call(caller, request, (response) => {
    if (response.status < 200 || response.status > 299) throw statusError(request, response);
  });
}
