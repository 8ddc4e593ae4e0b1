import { transport } from "#transport";
import type { VaultTls } from "../tls/vault-tls.ts";
import { type JsonMember, jsonBody } from "./json-body.ts";
import { type OpenedJson, openJson } from "./opened-json.ts";
import { runningTimeout } from "./running-timeout.ts";
import { TransportError } from "./transport.ts";

/** A JSON object for a server that is not a vault. */
export interface JsonPost {
  /** https, absolute. */
  readonly url: string;
  /** Secrets in it stay closed until they are sent. */
  readonly members: Readonly<Record<string, JsonMember>>;
  readonly tls: VaultTls;
  /** Limit of it all. */
  readonly timeoutMs: number;
  /** The most bytes of the answer. */
  readonly maxBytes: number;
}

/** Its answer, opened; `body` is undefined if it is not JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: OpenedJson | undefined;
}

/**
 * Sends a JSON object once. The answer must hold no secret.
 * @throws TransportError
 */
export async function postJson(post: JsonPost): Promise<JsonAnswer> {
  using limit = runningTimeout(post.timeoutMs);
  const { status, body } = await transport({
    method: "POST",
    url: post.url,
    headers: [
      ["Content-Type", "application/json"],
      ["Accept-Encoding", "identity"],
    ],
    body: jsonBody(post.members),
    tls: post.tls,
    maxBytes: post.maxBytes,
    ownConnection: true,
    signal: limit.signal,
  }).catch((error) => {
    const isLate = error instanceof TransportError && error.fault === "aborted";
    throw isLate ? new TransportError("aborted", { detail: "no answer in time" }) : error;
  });
  const json = body.parseJson();
  return { status, body: typeof json === "string" ? undefined : openJson(json) };
}
