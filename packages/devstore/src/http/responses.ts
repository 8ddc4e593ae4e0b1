import { goJson, goStruct } from "../json/go-json.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";

/** An answer of the store; no body at all when `body` is absent. */
export interface StoreResponse {
  readonly status: number;
  readonly body?: string;
  /** Where a 307 sends the client. */
  readonly location?: string;
}

/** The parts of OpenBao's answer envelope that differ from answer to answer. */
export interface Envelope {
  readonly requestId: string;
  readonly data?: JsonValue;
  readonly auth?: JsonObject;
  readonly lease?: Lease;
  readonly warnings?: readonly string[];
  /** By default 200. */
  readonly status?: number;
}

/** The lease part of an envelope. */
export interface Lease {
  readonly id: string;
  readonly renewable: boolean;
  readonly durationSeconds: number;
}

/** An answer in OpenBao's envelope (sdk/logical/translate_response.go). */
export function envelope(parts: Envelope): StoreResponse {
  const body = goStruct({
    request_id: parts.requestId,
    lease_id: parts.lease?.id ?? "",
    renewable: parts.lease?.renewable ?? false,
    lease_duration: parts.lease?.durationSeconds ?? 0,
    data: parts.data ?? null,
    wrap_info: null,
    warnings: parts.warnings === undefined || parts.warnings.length === 0 ? null : parts.warnings,
    auth: parts.auth ?? null,
  });
  return { status: parts.status ?? 200, body };
}

/** `{"errors":[…]}`; without a text the empty list that OpenBao gives for a plain 404 or 405. */
export function errors(status: number, ...texts: readonly string[]): StoreResponse {
  return { status, body: goJson({ errors: texts }) };
}

/**
 * A body without the envelope, keys in the order given: the answers of `sys/health` and its kin.
 */
export function plain(status: number, fields: JsonObject): StoreResponse {
  return { status, body: goStruct(fields) };
}

/** 204: done, nothing to say. */
export function noContent(): StoreResponse {
  return { status: 204 };
}
