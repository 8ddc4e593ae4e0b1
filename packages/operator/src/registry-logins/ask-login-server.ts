import { fetchFailure } from "../image/fetch-failure.ts";
import { ImageError } from "../image/image-error.ts";
import { readBytes } from "../image/read-bytes.ts";
import { loginRefused, loginUnavailable } from "./login-failure.ts";
import type { LoginWay } from "./login-way.ts";

/** One request of a login. The operator's settings say where it goes, never a pod. */
export interface LoginCall {
  /** As messages name it: `AssumeRoleWithWebIdentity`. */
  readonly step: string;
  readonly url: URL;
  readonly method?: "GET" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>> | Headers;
  readonly body?: string;
  readonly hints: LoginHints;
}

/** The remedies for a failed request. */
export interface LoginHints {
  /** If the server cannot be reached. */
  readonly unreachable?: string;
  /** If it refuses, and none of the words is in its answer. */
  readonly refused: string;
  /** By the error code that the provider documents. Only these words of an answer are repeated. */
  readonly words?: Readonly<Record<string, string>>;
}

/** A complete answer of status 200. */
export interface LoginAnswer {
  readonly headers: Headers;
  readonly text: string;
}

/** Tokens have 2 to 16 KiB. */
const MOST_BYTES = 128 * 1024;
/** Codes of answers of status 400 that mean: try again. */
const PASSING = ["Throttling", "ThrottlingException", "IDPCommunicationError"];

/**
 * Sends a request to a server of a login and reads its answer, without following redirects: the
 * body or the headers hold a secret.
 *
 * @throws ImageError `LOGIN_REFUSED`, `LOGIN_UNAVAILABLE`, or the error that ends the login
 */
export async function askLoginServer(way: LoginWay, call: LoginCall): Promise<LoginAnswer> {
  const operation = `${way.operation}: ${call.step} at ${call.url.host}`;
  const timeout = AbortSignal.timeout(way.requestMs);
  const signal = AbortSignal.any([way.signal, timeout]);
  try {
    const response = await fetch(call.url, optionsOf(call, way, signal));
    const bytes = await readBytes(response, { maxBytes: MOST_BYTES, operation });
    const text = new TextDecoder().decode(bytes);
    if (response.status === 200) return { headers: response.headers, text };
    throw statusFailure(response.status, text, operation, call.hints);
  } catch (error) {
    if (way.signal.aborted) throw way.signal.reason;
    const hint = call.hints.unreachable ?? reachHint(call.url);
    if (timeout.aborted) {
      const found = `${operation}: no complete answer within ${way.requestMs} ms`;
      throw loginUnavailable(found, { hint, cause: error });
    }
    if (!(error instanceof ImageError)) {
      const { message } = fetchFailure(error, operation);
      throw loginUnavailable(message, { hint, cause: error });
    }
    if (error.code !== "TOO_LARGE") throw error;
    throw loginRefused(error.message, { hint: call.hints.refused });
  }
}

function optionsOf(
  { method = "GET", headers, body, url }: LoginCall,
  { authorities }: LoginWay,
  signal: AbortSignal,
): BunFetchRequestInit {
  const own = Object.hasOwn(authorities, url.host) ? authorities[url.host] : undefined;
  const ca = own ?? authorities["*"];
  const sent = new Headers(headers);
  // A compressed body would pass the size limit before it grows.
  sent.set("Accept-Encoding", "identity");
  const options: BunFetchRequestInit & { readonly proxy: false } = {
    method,
    headers: sent,
    ...(body !== undefined && { body }),
    redirect: "manual",
    decompress: false,
    // Without it, variables of the environment would choose who sees the tokens.
    proxy: false,
    signal,
    ...(url.protocol === "https:" && ca !== undefined && { tls: { ca: [...ca] } }),
  };
  return options;
}

function statusFailure(
  status: number,
  text: string,
  operation: string,
  { refused, words = {} }: LoginHints,
): ImageError {
  const word = Object.keys(words).find((each) => new RegExp(`\\b${each}\\b`).test(text));
  const found = `${operation}: status ${status}${word === undefined ? "" : ` (${word})`}`;
  const hint = (word === undefined ? undefined : words[word]) ?? refused;
  const passes = status >= 500 || status === 429 || PASSING.some((each) => text.includes(each));
  return passes
    ? loginUnavailable(found, { hint: "try again in a moment; the provider is busy or fails" })
    : loginRefused(found, { hint });
}

function reachHint({ host }: URL): string {
  return `the operator has to reach ${host}: check its network policy and name resolution`;
}
