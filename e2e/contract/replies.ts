import { expect } from "bun:test";
import type { Reply } from "./server.ts";

/** A UUID. */
export const UUID: unknown = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** A time in UTC as Go writes it. */
export const TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);

/** Any text that is not empty. */
export const TEXT: unknown = expect.stringMatching(/./);

/** `{"errors": […]}` */
export function errors(status: number, ...texts: readonly unknown[]): Reply {
  return { status, body: { errors: texts } };
}

/** No body at all. */
export function empty(status: number): Reply {
  return { status, body: null };
}

/** The whole envelope. Parts that are not given must be empty. */
export function envelope(parts: Readonly<Record<string, unknown>>, status = 200): Reply {
  const fields = {
    request_id: UUID,
    lease_id: "",
    renewable: false,
    lease_duration: 0,
    data: null,
    wrap_info: null,
    warnings: null,
    auth: null,
  };
  return { status, body: { ...fields, ...parts } };
}

/** The answer to a data read. */
export function secret(
  data: unknown,
  metadata: Readonly<Record<string, unknown>>,
  status = 200,
): Reply {
  return envelope({ data: { data, metadata: versionOf(metadata) } }, status);
}

/** The answer to a data write. */
export function written(metadata: Readonly<Record<string, unknown>>): Reply {
  return envelope({ data: versionOf(metadata) });
}

/** The metadata of one version. Fields that are not given are as after a first plain write. */
function versionOf(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = { created_time: TIME, custom_metadata: null, deletion_time: "", destroyed: false };
  return { ...fields, version: 1, ...metadata };
}

/** A secret that does not exist. */
export const MISSING = errors(404);

/** No valid token. */
export const NOT_KNOWN = errors(403, "permission denied");

/** A valid token that may not do this. */
export const NOT_ALLOWED = errors(403, "1 error occurred:\n\t* permission denied\n\n");

/** A path that has no such operation. */
export const UNSUPPORTED = errors(405, "1 error occurred:\n\t* unsupported operation\n\n");
