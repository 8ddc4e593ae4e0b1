import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  compressionGzip,
  createGrpcTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { readAnswer } from "./encode-logs.ts";
import { failureReason } from "./failure-reason.ts";
import { exportLogs } from "./logs-service.ts";
import { excerptOf, type PlatformAnswer, platformAnswer } from "./platform-answer.ts";
import type { PlatformHeaders } from "./platform-headers.ts";
import type { PlatformFiles, PlatformSettings } from "./platform-settings.ts";
import type { PlatformClient, SendOutcome } from "./send-outcome.ts";

/**
 * Something in the request, or its size; every other code may pass (OTLP specification, "Failures"
 * of OTLP/gRPC).
 */
const NEVER: readonly Code[] = [Code.InvalidArgument];

/** The limits for a server's answer. */
const MOST_ANSWER_BYTES = 64 * 1024;

/** OTLP over gRPC. */
export function grpcClient(
  settings: Pick<PlatformSettings, "endpoint" | "compression" | "requestTimeoutMs">,
  files: PlatformFiles,
): PlatformClient {
  const { endpoint, compression, requestTimeoutMs } = settings;
  const connection = new Http2SessionManager(endpoint.url, undefined, files.tls);
  const transport = createGrpcTransport({
    baseUrl: endpoint.url,
    sessionManager: connection,
    readMaxBytes: MOST_ANSWER_BYTES,
    acceptCompression: [compressionGzip],
    ...(compression === "gzip" && { sendCompression: compressionGzip }),
  });
  const headers = Object.fromEntries(files.headers);
  return {
    send: async (body, signal) => {
      const message = fromBinary(exportLogs.input, body);
      try {
        const answer = await transport.unary(
          exportLogs,
          signal,
          requestTimeoutMs,
          headers,
          message,
        );
        const { rejected, message: said } = readAnswer(toBinary(exportLogs.output, answer.message));
        return { kind: "taken", rejected, message: excerptOf(said, files.headers) };
      } catch (error) {
        return outcomeOf(error, files.headers);
      }
    },
    close: () => connection.abort(),
  };
}

function outcomeOf(error: unknown, headers: PlatformHeaders): SendOutcome {
  const isNever = error instanceof ConnectError && NEVER.includes(error.code);
  const answer = answerIn(error, headers);
  return {
    ...{ kind: isNever ? "never" : "later", reason: failureReason(error) },
    ...(answer && { answer }),
  };
}

/** Undefined if no server has answered. A proxy answers by HTTP, and with a page. */
function answerIn(error: unknown, headers: PlatformHeaders): PlatformAnswer | undefined {
  if (!(error instanceof ConnectError) || error.cause !== undefined) return undefined;
  const contentType = error.metadata.get("content-type");
  return platformAnswer({ status: Code[error.code], contentType }, error.rawMessage, headers);
}
