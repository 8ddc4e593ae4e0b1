import { TestingError } from "../errors.ts";
import { type Answer, toAnswer } from "../openbao/bao-api.ts";

/**
 * An API server and its client's token: `{ ...kube, token }` is the same server for another client.
 */
export interface KubernetesTarget {
  /** Base URL without a slash at the end. */
  readonly address: string;
  /** The authority of the server's certificate. */
  readonly caPem: string;
  /** A bearer token; empty for an anonymous request. */
  readonly token: string;
}

/** One request. */
export interface KubernetesRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path with its leading slash, for example `/api/v1/namespaces/shop/secrets/keys`. */
  readonly path: string;
  readonly body?: unknown;
  /** The media type of the body; by default `application/json`. */
  readonly contentType?: string;
}

/** The server's reply. */
export interface KubernetesReply {
  readonly status: number;
  /** The JSON object, a `Status` if the request failed; null for another body. */
  readonly body: Answer;
}

/** Sends a request and gives the reply, also if its status is an error's. */
export async function askKubernetes(
  target: KubernetesTarget,
  request: KubernetesRequest,
): Promise<KubernetesReply> {
  const { method, path, body, contentType = "application/json" } = request;
  const response = await fetch(`${target.address}${path}`, {
    method,
    headers: {
      Accept: "application/json",
      ...(target.token !== "" && { Authorization: `Bearer ${target.token}` }),
      ...(body !== undefined && { "Content-Type": contentType }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    tls: { ca: target.caPem },
  });
  return { status: response.status, body: parse(await response.text()) };
}

/** Sends a request and gives the JSON it answers; throws `BAD_ANSWER` for any status but 2xx. */
export async function callKubernetes(
  target: KubernetesTarget,
  request: KubernetesRequest,
): Promise<Answer> {
  const { status, body } = await askKubernetes(target, request);
  if (status >= 200 && status < 300) return body;
  const asked = `${request.method} ${request.path}`;
  const said = String(body?.["message"] ?? "no message");
  throw new TestingError("BAD_ANSWER", `${asked}: status ${status}: ${said}`);
}

/** Paths such as /readyz answer in plain text. */
function parse(text: string): Answer {
  try {
    return toAnswer(JSON.parse(text));
  } catch {
    return null;
  }
}
