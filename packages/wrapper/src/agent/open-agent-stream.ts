import type { ClientHttp2Session, ClientHttp2Stream, SecureClientSessionOptions } from "node:http2";
import { fileKind, readWholeFile } from "@svc/kernel";
import type { AgentSettings } from "../settings/wrapper-settings.ts";
import type { AgentTarget } from "./agent-target.ts";
import { GrpcFrameReader, grpcFrame } from "./grpc-frames.ts";

/** A stream to the agent. */
export interface AgentStream {
  readonly send: (message: Uint8Array) => void;
  readonly close: () => void;
}

/** What is heard of it; `onEnd` once, and last. */
export interface AgentStreamListener {
  readonly onMessage: (message: Uint8Array) => void;
  readonly onEnd: (reason: string) => void;
}

const METHOD = "/svc.agent.v1.AgentService/Session";
const MOST_TOKEN_BYTES = 16 * 1024;
const MOST_PEM_BYTES = 1024 * 1024;

/**
 * Opens the stream; a connection that fails is heard as its end, and what is wrong before that is thrown. HTTP/2 is the runtime's own, and is loaded here for
 * the first time: 3 MB and 12 ms that only a wrapper with an agent spends.
 */
export async function openAgentStream(
  target: AgentTarget,
  settings: AgentSettings,
  listener: AgentStreamListener,
): Promise<AgentStream> {
  if (target.kind === "socket" && isMissing(target.path)) {
    throw new Error(`there is no ${target.path}`);
  }
  // By this way the compiler does not put 3 MB of the runtime's own modules into the wrapper a second time.
  const http2 = process.getBuiltinModule("node:http2");
  const net = process.getBuiltinModule("node:net");
  const session =
    target.kind === "socket"
      ? http2.connect("http://agent", { createConnection: () => net.connect(target.path) })
      : http2.connect(`https://${target.authority}`, tlsOptions(settings.tls));
  // Over TCP it is asked for proof; TLS is verified before a header leaves.
  const authorization = target.kind === "tcp" ? bearer(settings.tls.tokenPath) : {};
  const stream = session.request({
    ":method": "POST",
    ":path": METHOD,
    "content-type": "application/grpc+proto",
    te: "trailers",
    ...authorization,
  });
  return follow(session, stream, listener);
}

function follow(
  session: ClientHttp2Session,
  stream: ClientHttp2Stream,
  { onMessage, onEnd }: AgentStreamListener,
): AgentStream {
  const frames = new GrpcFrameReader();
  let ended = false;
  const end = (reason: string): void => {
    if (ended) return;
    ended = true;
    session.destroy();
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
      for (const message of frames.take(bytes)) onMessage(message);
    } catch (error) {
      end(error instanceof RangeError ? error.message : "read an answer: failed");
    }
  });
  return {
    send: (message) => {
      if (!ended) stream.write(grpcFrame(message));
    },
    close: () => end("closed"),
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

function tlsOptions(tls: AgentSettings["tls"]): SecureClientSessionOptions {
  const { caPath, certPath, keyPath, serverName } = tls;
  return {
    ...(caPath === undefined ? {} : { ca: readText(caPath, MOST_PEM_BYTES) }),
    ...(certPath === undefined ? {} : { cert: readText(certPath, MOST_PEM_BYTES) }),
    ...(keyPath === undefined ? {} : { key: readText(keyPath, MOST_PEM_BYTES) }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  };
}

/** Read for every connection: the kubelet replaces it. One that is not there is no reason not to try. */
function bearer(path: string): { readonly authorization?: string } {
  try {
    const token = readText(path, MOST_TOKEN_BYTES).trim();
    return /^[\x21-\x7e]+$/.test(token) ? { authorization: `Bearer ${token}` } : {};
  } catch {
    return {};
  }
}

function readText(path: string, limit: number): string {
  return new TextDecoder().decode(readWholeFile(path, limit));
}

function isMissing(path: string): boolean {
  return fileKind(new TextEncoder().encode(path)) === "missing";
}
