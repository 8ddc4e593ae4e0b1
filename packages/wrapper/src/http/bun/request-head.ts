import type { RequestHead } from "../http-service.ts";

/** A head as it was read from a connection. */
export interface ReadHead extends RequestHead {
  /** The client waits for "100 Continue" before it sends the body (RFC 9110 section 10.1.1). */
  readonly waitsForContinue: boolean;
}

/** Why a request is not answered as asked. */
export interface Refusal {
  readonly status: 400 | 411 | 431 | 505;
  readonly code: string;
  readonly message: string;
}

export type HeadReading =
  | { readonly kind: "head"; readonly head: ReadHead }
  | { readonly kind: "refused"; readonly refusal: Refusal };

const MAX_HEADERS = 64;
// RFC 9110 section 5.6.2: token. RFC 9112 section 3: the request line; section 5: field lines.
const requestLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP\/(\d)\.(\d)$/;
const fieldLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t\x80-\xff]*)$/;

/**
 * Reads a request's head, without the empty line that ends it. Strict where RFC 9112 lets a server
 * choose: a request that two readers could take differently is refused.
 */
export function readRequestHead(bytes: Uint8Array): HeadReading {
  const [first = "", ...lines] = latin1(bytes).split("\r\n");
  const [, method, target, major, minor] = requestLine.exec(first) ?? [];
  if (method === undefined || target === undefined) return malformed("the request line is none");
  if (major !== "1") {
    return refused(505, "HTTP_VERSION_NOT_SUPPORTED", "only HTTP/1.1 and HTTP/1.0 are spoken");
  }
  if (lines.length > MAX_HEADERS) return refused(431, "HEADERS_TOO_LARGE", "too many headers");
  const headers = readHeaders(lines);
  if (headers === undefined) return malformed("a header is malformed");
  // RFC 9112 section 3.2: exactly one Host, or the client and whoever stands between may disagree.
  const host = headers.get("host");
  if (host === undefined ? minor !== "0" : host.includes(",")) {
    return malformed("HTTP/1.1 wants exactly one Host header");
  }
  const bodyLength = readBodyLength(headers);
  if (typeof bodyLength !== "number") return bodyLength;
  const waitsForContinue = headers.get("expect")?.toLowerCase() === "100-continue";
  const head = { method, path: pathOf(target), headers, bodyLength, waitsForContinue };
  return { kind: "head", head };
}

function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = fieldLine.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const key = name.toLowerCase();
    const before = headers.get(key);
    const text = value.trim();
    headers.set(key, before === undefined ? text : `${before}, ${text}`);
  }
  return headers;
}

/** One length in digits, or none: what else may frame a body is what request smuggling lives on. */
function readBodyLength(headers: ReadonlyMap<string, string>): number | HeadReading {
  const length = headers.get("content-length");
  if (headers.has("transfer-encoding")) {
    if (length !== undefined) return malformed("a body has one length or one encoding, not both");
    return refused(411, "LENGTH_REQUIRED", "a body is taken with Content-Length only");
  }
  if (length === undefined) return 0;
  return /^\d{1,15}$/.test(length) ? Number(length) : malformed("Content-Length is no number");
}

/** The path of "/path?query" or of "http://host/path?query" (RFC 9112 section 3.2). */
function pathOf(target: string): string {
  const [beforeQuery = ""] = target.split(/[?#]/, 1);
  const absolute = /^https?:\/\/[^/]*(.*)$/i.exec(beforeQuery);
  if (absolute === null) return beforeQuery;
  return absolute[1] === "" ? "/" : (absolute[1] ?? "/");
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function malformed(message: string): HeadReading {
  return refused(400, "MALFORMED_REQUEST", message);
}

function refused(status: Refusal["status"], code: string, message: string): HeadReading {
  return { kind: "refused", refusal: { status, code, message } };
}
