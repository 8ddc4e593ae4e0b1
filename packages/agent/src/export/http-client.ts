import { gzipSync } from "node:zlib";
import { readAnswer } from "./encode-logs.ts";
import { failureReason } from "./failure-reason.ts";
import { excerptOf, type PlatformAnswer, platformAnswer } from "./platform-answer.ts";
import type { PlatformHeaders } from "./platform-headers.ts";
import type { PlatformFiles, PlatformSettings } from "./platform-settings.ts";
import type { PlatformClient, SendOutcome } from "./send-outcome.ts";

/** The limits for a server's answer. */
const MOST_ANSWER_BYTES = 64 * 1024;
/** Too large, or malformed: the server would answer a second attempt in the same way. */
const NEVER: readonly number[] = [400, 413, 422];

/** OTLP over HTTP with protobuf bodies (OTLP specification, "OTLP/HTTP"). */
export function httpClient(
  settings: Pick<PlatformSettings, "endpoint" | "compression" | "requestTimeoutMs">,
  files: PlatformFiles,
): PlatformClient {
  const { endpoint, compression, requestTimeoutMs } = settings;
  const headers = {
    ...Object.fromEntries(files.headers),
    "content-type": "application/x-protobuf",
    "accept-encoding": "identity",
    ...(compression === "gzip" && { "content-encoding": "gzip" }),
  };
  return {
    send: async (body, signal) => {
      try {
        const response = await fetch(endpoint.url, {
          method: "POST",
          headers,
          body: compression === "gzip" ? gzipSync(body) : body,
          // Events go to the server of the settings, and to no other.
          redirect: "manual",
          // An answer is a few bytes; a megabyte of gzip may be a gigabyte.
          decompress: false,
          signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
          tls: files.tls,
        });
        return await outcomeOf(response, files.headers);
      } catch (error) {
        return { kind: "later", reason: failureReason(error) };
      }
    },
    close: () => undefined,
  };
}

async function outcomeOf(response: Response, headers: PlatformHeaders): Promise<SendOutcome> {
  const { status } = response;
  const contentType = response.headers.get("content-type");
  const bytes = await boundedBody(response);
  const answer = platformAnswer({ status, contentType }, bytes, headers);
  const isPage = contentType?.startsWith("text/html") === true;
  // Not a platform's: a portal's, a login's, or a proxy's answer for an unknown path.
  if (isPage && status < 300) {
    return { kind: "later", reason: "the platform answered with a page", answer };
  }
  if (status >= 200 && status < 300) return takenBy(bytes, { answer, headers });
  const reason = `the platform answered ${status}`;
  if (NEVER.includes(status)) return { kind: "never", reason, answer };
  const seconds = Number(response.headers.get("retry-after") ?? "");
  return {
    ...{ kind: "later", reason, answer },
    ...(seconds > 0 && { afterMs: Math.min(seconds, 300) * 1000 }),
  };
}

interface OfServer {
  readonly answer: PlatformAnswer;
  readonly headers: PlatformHeaders;
}

/** Servers answer with an empty body, with the type of OTLP, or with another one. */
function takenBy(bytes: Uint8Array, { answer, headers }: OfServer): SendOutcome {
  const { rejected, message } = readAnswer(bytes);
  const isOtlp = bytes.length === 0 || answer.contentType.startsWith("application/x-protobuf");
  return {
    ...{ kind: "taken", rejected, message: excerptOf(message, headers) },
    ...(!isOtlp && { answer }),
  };
}

async function boundedBody(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MOST_ANSWER_BYTES) break;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
