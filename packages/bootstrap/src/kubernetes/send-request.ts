import type { RequestOptions } from "node:https";
import type {
  KubeConfig,
  PromiseHttpLibrary,
  RequestContext,
  ResponseContext,
} from "@kubernetes/client-node";
import { BootstrapError } from "../bootstrap-error.ts";

/** What an answer may take. */
export interface AnswerLimits {
  /** From the connection to the last byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly bytes: number;
}

/** A Secret has at most 1 MiB, and a page of a list some megabytes. */
export const ANSWER_LIMITS: AnswerLimits = { timeoutMs: 15_000, bytes: 16 * 1024 * 1024 };

type MakeResponse = (...words: ConstructorParameters<typeof ResponseContext>) => ResponseContext;

/**
 * Sends the client's requests with Bun's fetch. The client's own sender gives the cluster's certificates to
 * undici, which Bun replaces by its fetch and which then knows none of them.
 *
 * It fails with `BootstrapError` `KUBERNETES_UNREACHABLE` alone.
 */
export function requestSender(
  kubeConfig: KubeConfig,
  makeResponse: MakeResponse,
  limits: AnswerLimits = ANSWER_LIMITS,
): PromiseHttpLibrary {
  return {
    send: async (request) => {
      try {
        const response = await fetchOnce(kubeConfig, request, limits.timeoutMs);
        const bytes = await readBounded(response, limits.bytes);
        const headers = Object.fromEntries(response.headers);
        return makeResponse(response.status, headers, bodyOf(bytes));
      } catch (error) {
        throw unreachable(request, error);
      }
    },
  };
}

async function fetchOnce(
  kubeConfig: KubeConfig,
  request: RequestContext,
  timeoutMs: number,
): Promise<Response> {
  const options: RequestOptions = {};
  await kubeConfig.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  const body = request.getBody();
  const init = {
    method: request.getHttpMethod(),
    headers: request.getHeaders(),
    // The requests made here have JSON or no body.
    ...(typeof body === "string" && { body }),
    // A redirect would take the token along.
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(servername !== undefined && { serverName: servername }),
      rejectUnauthorized: rejectUnauthorized ?? true,
    },
  } as const;
  // Without `proxy: false` HTTPS_PROXY would choose who is talked to.
  return fetch(request.getUrl(), Object.assign({}, init, { proxy: false, verbose: false }));
}

async function readBounded(response: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw new RangeError(`the answer has more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function bodyOf(bytes: Buffer) {
  return {
    text: async () => bytes.toString("utf8"),
    binary: async () => bytes,
    stream: () => null,
  };
}

function unreachable(request: RequestContext, error: unknown): BootstrapError {
  const { origin } = new URL(request.getUrl());
  const found = error instanceof Error ? error.message : "it failed";
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  const message = `ask the API server at ${origin}: ${found}${code}`;
  return new BootstrapError("KUBERNETES_UNREACHABLE", message);
}
