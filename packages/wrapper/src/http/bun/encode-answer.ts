import type { HttpAnswer } from "../http-answer.ts";

// RFC 9110 section 15, and RFC 6585 for 429 and 431.
const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  411: "Length Required",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
};

/** The answer's bytes. Every connection carries one request, so each says that it closes. */
export function encodeAnswer(answer: HttpAnswer, forHead: boolean): Uint8Array {
  const body = new TextEncoder().encode(answer.body);
  const lines = [
    `HTTP/1.1 ${answer.status} ${reasons[answer.status] ?? ""}`,
    `Date: ${new Date().toUTCString()}`,
    `Content-Type: ${answer.contentType}`,
    `Content-Length: ${body.length}`,
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    ...Object.entries(answer.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
  ];
  const head = new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
  return forHead ? head : Buffer.concat([head, body]);
}
