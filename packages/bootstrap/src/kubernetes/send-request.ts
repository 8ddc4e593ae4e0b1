import type { KubeConfig, PromiseHttpLibrary, ResponseContext } from "@kubernetes/client-node";
import { loginOf, readBounded, sendRequest, unreachable } from "@svc/kubernetes";

/** The time limit of an answer. */
export interface AnswerLimits {
  /** From the connection to the last byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly bytes: number;
}

/** A Secret has at most 1 MiB, and a page of a list some megabytes. */
export const ANSWER_LIMITS: AnswerLimits = { timeoutMs: 15_000, bytes: 16 * 1024 * 1024 };

type MakeResponse = (...words: ConstructorParameters<typeof ResponseContext>) => ResponseContext;

/**
 * Sends the client's requests as the kubeconfig's user.
 *
 * It fails with `KubernetesError` alone.
 */
export function requestSender(
  kubeConfig: KubeConfig,
  makeResponse: MakeResponse,
  { timeoutMs, bytes: limit }: AnswerLimits = ANSWER_LIMITS,
): PromiseHttpLibrary {
  return {
    send: async (request) => {
      const url = request.getUrl();
      const body = request.getBody();
      const response = await sendRequest(loginOf(kubeConfig), {
        url,
        method: request.getHttpMethod(),
        headers: request.getHeaders(),
        // The requests made here have JSON or no body.
        ...(typeof body === "string" && { body }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      try {
        const bytes = await readBounded(response, limit);
        return makeResponse(response.status, Object.fromEntries(response.headers), bodyOf(bytes));
      } catch (error) {
        throw unreachable(url, error);
      }
    },
  };
}

function bodyOf(bytes: Buffer) {
  return {
    text: async () => bytes.toString("utf8"),
    binary: async () => bytes,
    stream: () => null,
  };
}
