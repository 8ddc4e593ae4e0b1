/** What a request is answered with. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once the client has left with the answer, without it, or was sent away after a while. */
  readonly onGone?: () => void;
}

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

/** An answer in JSON. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return { status, contentType: "application/json", body: JSON.stringify(value), headers };
}

/** What an error says; `problems` where there are several. */
export interface ErrorText {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly problems?: readonly string[];
}

/** An error: `{"error":{"code","message","hint"}}`. */
export function errorAnswer(
  status: number,
  error: ErrorText,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return jsonAnswer(status, { error }, headers);
}

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
