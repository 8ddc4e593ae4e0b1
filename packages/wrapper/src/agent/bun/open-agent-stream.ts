import type { ClientHttp2Session, ClientHttp2Stream, SecureClientSessionOptions } from "node:http2";
import { fileKind } from "@svc/kernel";
import type { AgentSettings } from "../../settings/wrapper-settings.ts";
import { readAgentTls, readAgentToken } from "../agent-proof.ts";
import type { AgentStream, AgentStreamListener, OpenAgentStream } from "../agent-stream.ts";
import { GrpcFrameReader, grpcFrame } from "./grpc-frames.ts";
import { decodeAnswer, encodeRequest } from "./message-bytes.ts";

const METHOD = "/svc.agent.v1.AgentService/Session";

/**
 * Opens a stream by the runtime's HTTP/2. It is loaded here for the first time: only a wrapper with
 * an agent spends the 3 MB and 12 ms.
 */
export const openAgentStream: OpenAgentStream = async (target, { tls }, listener) => {
  if (target.kind === "socket" && isMissing(target.path)) {
    throw new Error(`there is no ${target.path}`);
  }
  // An import would have the compiler put the runtime's own 3 MB into the wrapper a second time.
  const http2 = process.getBuiltinModule("node:http2");
  const net = process.getBuiltinModule("node:net");
  const session =
    target.kind === "socket"
      ? http2.connect("http://agent", { createConnection: () => net.connect(target.path) })
      : http2.connect(`https://${target.authority}`, tlsOptions(tls));
  // Over TCP it is asked for proof; TLS is verified before a header leaves.
  const authorization = target.kind === "tcp" ? bearer(tls.tokenPath) : {};
  const stream = session.request({
    ":method": "POST",
    ":path": METHOD,
    "content-type": "application/grpc+proto",
    te: "trailers",
    ...authorization,
  });
  return follow(session, stream, listener);
};

function follow(
  session: ClientHttp2Session,
  stream: ClientHttp2Stream,
  { onMessage, onEnd }: AgentStreamListener,
): AgentStream {
  const frames = new GrpcFrameReader();
  let ended = false;
  const close = (): void => {
    ended = true;
    session.destroy();
  };
  const end = (reason: string): void => {
    if (ended) return;
    close();
    onEnd(reason);
  };
  session.on("error", (error) => end(error.message));
  session.on("close", () => end("the connection was closed"));
  stream.on("error", (error) => end(error.message));
  stream.on("response", (headers) => {
    const status = headers["grpc-status"];
    if (headers[":status"] !== 200) end(`HTTP status ${headers[":status"]}`);
    else if (status !== undefined) end(describe(status, headers["grpc-message"]));
  });
  stream.on("trailers", (headers) =>
    end(describe(headers["grpc-status"], headers["grpc-message"])),
  );
  stream.on("close", () => end("the stream was closed"));
  stream.on("data", (bytes: Uint8Array) => {
    try {
      for (const message of frames.take(bytes)) if (!ended) onMessage(decodeAnswer(message));
    } catch (error) {
      end(error instanceof RangeError ? error.message : "read an answer: failed");
    }
  });
  return {
    send: (message) => {
      if (!ended) stream.write(grpcFrame(encodeRequest(message)));
    },
    close,
  };
}

/** grpc-message is percent-encoded. */
function describe(status: unknown, message: unknown): string {
  const text = typeof message === "string" ? `: ${decoded(message)}` : "";
  return status === "0" ? "the agent has ended the stream" : `gRPC status ${status}${text}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function tlsOptions(settings: AgentSettings["tls"]): SecureClientSessionOptions {
  const { key, serverName, ...rest } = readAgentTls(settings);
  return {
    ...rest,
    ...(key && { key: key.open([]) || "not a key" }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  };
}

function bearer(path: string): { readonly authorization?: string } {
  const token = readAgentToken(path);
  return token === undefined ? {} : { authorization: `Bearer ${token.open([])}` };
}

function isMissing(path: string): boolean {
  return fileKind(new TextEncoder().encode(path)) === "missing";
}
