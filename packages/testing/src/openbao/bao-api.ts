import { TestingError } from "../errors.ts";

/** The JSON of an answer, or null when it has no body. */
export type Answer = Readonly<Record<string, unknown>> | null;

/** A server and the token to talk to it with. */
export interface BaoTarget {
  readonly address: string;
  /** Empty for requests that need none. */
  readonly rootToken: string;
  /** The authority of the server's certificate. */
  readonly caPem?: string;
}

/** One request that must succeed. */
export interface BaoRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path without `/v1/`. */
  readonly path: string;
  readonly body?: unknown;
}

/** Sends a request and gives the JSON it answers; throws `BAD_ANSWER` for any status but 2xx. */
export async function callBao(target: BaoTarget, request: BaoRequest): Promise<Answer> {
  const response = await fetch(`${target.address}/v1/${request.path}`, {
    method: request.method,
    headers: target.rootToken === "" ? {} : { "X-Vault-Token": target.rootToken },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    ...(target.caPem === undefined ? {} : { tls: { ca: target.caPem } }),
  });
  const text = await response.text();
  if (!response.ok) {
    const asked = `${request.method} ${request.path}`;
    throw new TestingError("BAD_ANSWER", `${asked}: status ${response.status}: ${text.trim()}`);
  }
  return text === "" ? null : toAnswer(JSON.parse(text));
}

/** The object at `key` of an answer. Throws `BAD_ANSWER` when there is none. */
export function answerPart(answer: Answer, key: string): NonNullable<Answer> {
  const value = toAnswer(answer?.[key]);
  if (value === null)
    throw new TestingError("BAD_ANSWER", `read the answer: has no object "${key}"`);
  return value;
}

/** The text at `key` of an answer. Throws `BAD_ANSWER` when there is none. */
export function answerText(answer: Answer, key: string): string {
  const value = answer?.[key];
  if (typeof value === "string") return value;
  throw new TestingError("BAD_ANSWER", `read the answer: has no text "${key}"`);
}

/** A JSON value as an answer: null for a value that is not an object. */
export function toAnswer(value: unknown): Answer {
  if (typeof value !== "object" || value === null) return null;
  return Object.fromEntries(Object.entries(value));
}
