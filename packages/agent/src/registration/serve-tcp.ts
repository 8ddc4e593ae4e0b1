import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from "node:http2";
import { isIPv6, type Socket } from "node:net";
import { Code } from "@connectrpc/connect";
import { AgentError } from "../agent-error.ts";
import { agentErrorCatalogue } from "../error-catalogue.ts";
import { Admission } from "./admission.ts";
import { type Admitted, Connections } from "./connections.ts";
import {
  type AgentRequest,
  type CallerFinding,
  registrationRoutes,
} from "./registration-routes.ts";
import type { RegistrationContext } from "./registration-stream.ts";
import type { TokenReviewer } from "./review-token.ts";
import type { RegistrationListener } from "./serve-socket.ts";
import { readTlsFiles, type TlsPaths, tlsStamp } from "./tls-files.ts";

/** The address at which registrations over TCP are taken, and the proof of callers. */
export interface TcpOptions {
  /** Empty for every address of the machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Without it no caller can prove its identity, and none is admitted. */
  readonly tls?: TlsPaths;
  /** Undefined if there is no API server: then a client certificate is the only way. */
  readonly reviewToken?: TokenReviewer;
}

/** A server of registrations over TCP. */
export interface TcpListener extends RegistrationListener {
  readonly port: number;
}

const CERTIFICATES_EVERY_MS = 5_000;
const HANDSHAKE_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;

/**
 * Takes registrations over TCP, which can only add protection. New certificates are taken when
 * their files change; if the new ones cannot be used, the old ones stay.
 *
 * @throws AgentError `REGISTRATION_ADDRESS_UNUSABLE`, `REGISTRATION_TLS_UNUSABLE`
 */
export async function serveTcp(
  context: RegistrationContext,
  options: TcpOptions,
): Promise<TcpListener> {
  const { tls } = options;
  const admission = new Admission();
  const server = tls === undefined ? createServer(settings) : secureServer(tls);
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) =>
    socket.setKeepAlive(true, KEEP_ALIVE_MS),
  );
  const connections = new Connections(server, (session) => admit(session, admission));
  const find = (request: AgentRequest) => findCaller(request, connections, options);
  server.on("request", registrationRoutes(context, find));
  const port = await listening(server, options);
  const stopFollowing = tls === undefined ? () => undefined : follow(server, tls, context);
  return {
    port,
    turnedAway: () => admission.refused,
    stop: () => {
      stopFollowing();
      connections.end();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const settings = { settings: { maxConcurrentStreams: 4 } };

function secureServer(paths: TlsPaths): Http2SecureServer {
  const { ca, ...texts } = readTlsFiles(paths);
  // A caller with a token needs no certificate; the token is checked for each request.
  const asks = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: false };
  try {
    const limits = { minVersion: "TLSv1.2", handshakeTimeout: HANDSHAKE_MS } as const;
    return createSecureServer({ ...settings, ...texts, ...asks, ...limits });
  } catch (error) {
    throw tlsUnusable(error);
  }
}

function admit(session: ServerHttp2Session, admission: Admission): Admitted | undefined {
  const { socket } = session;
  // An address is a pod's, or a node's with a few.
  const place = admission.enter({ kind: "pod", name: socket.remoteAddress ?? "unknown" });
  if (place === undefined) return undefined;
  const certified = Reflect.get(socket, "authorized") === true;
  return { open: () => ({ by: certified ? "certificate" : "token" }), ...place };
}

async function findCaller(
  request: AgentRequest,
  connections: Connections,
  { tls, reviewToken }: TcpOptions,
): Promise<CallerFinding> {
  const { hint } = agentErrorCatalogue.REGISTRATION_UNPROVEN;
  if (tls === undefined) return unauthenticated(`the connection is not encrypted: ${hint}`);
  const opener = connections.callerOf(request);
  if (opener === undefined) {
    return { kind: "refused", code: Code.ResourceExhausted, message: "one stream per connection" };
  }
  const { open } = opener;
  if (open()?.by === "certificate") return { kind: "caller", ...opener };
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined || reviewToken === undefined) {
    return unauthenticated(
      `neither a token that can be reviewed nor a client certificate: ${hint}`,
    );
  }
  try {
    const podUid = await reviewToken(token);
    return { kind: "caller", ...opener, open: () => open() && { by: "token", podUid } };
  } catch (error) {
    if (error instanceof AgentError) return unauthenticated(error.message);
    throw error;
  }
}

function unauthenticated(message: string): CallerFinding {
  return { kind: "refused", code: Code.Unauthenticated, message };
}

function follow(
  server: Http2Server | Http2SecureServer,
  paths: TlsPaths,
  { log }: RegistrationContext,
): () => void {
  let stamp = tlsStamp(paths);
  const look = (): void => {
    const next = tlsStamp(paths);
    if (next === stamp) return;
    stamp = next;
    try {
      if ("setSecureContext" in server) server.setSecureContext(readTlsFiles(paths));
      log("info", "registrations over TCP have a new certificate");
    } catch (error) {
      const { code, message } = tlsUnusable(error);
      log("warn", `${message}: the old certificate stays`, { code });
    }
  };
  const timer = setInterval(look, CERTIFICATES_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function listening(
  server: Http2Server | Http2SecureServer,
  { host, port }: TcpOptions,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const where = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  server.once("error", (error) => {
    const message = `take registrations at ${where}: ${error.message}`;
    reject(new AgentError("REGISTRATION_ADDRESS_UNUSABLE", message, error));
  });
  const done = (): void => {
    const address = server.address();
    resolve(typeof address === "object" && address !== null ? address.port : port);
  };
  if (host === "") server.listen(port, done);
  else server.listen(port, host, done);
  return promise;
}

function tlsUnusable(error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  const found = error instanceof Error ? error.message : "failed";
  return new AgentError("REGISTRATION_TLS_UNUSABLE", `use the certificate: ${found}`, error);
}
