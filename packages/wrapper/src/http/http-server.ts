import type { SecretBytes } from "@svc/secret-bytes";
import type { HttpService } from "./http-service.ts";

/** Where a server stands. */
export interface HttpServerOptions {
  /** Empty for every address of the machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls?: HttpServerTls;
  readonly service: HttpService;
  /** Addresses whose connections are never closed to make room for others. */
  readonly spared: readonly string[];
  /** How long a connection may take to send its request; by default 10 s. */
  readonly requestTimeoutMs?: number;
  /** True if clients send secrets: then all memory of their connections is in locked pages. */
  readonly takesSecrets?: boolean;
}

/** PEM texts. With a client CA every client is asked for a certificate, and none is turned away. */
export interface HttpServerTls {
  readonly certificate: string;
  readonly key: SecretBytes;
  readonly clientCa?: string;
}

/**
 * An HTTP/1.1 server of one request a connection, bounded in everything that a stranger can make
 * grow: connections, time, bytes.
 */
export interface HttpServer {
  readonly address: string;
  readonly port: number;
  /**
   * Serves new connections with another certificate; those that are open keep theirs.
   * @throws for a pair that does not fit; the server then stands as before.
   */
  changeTls(tls: HttpServerTls, former: HttpServerTls): void;
  /** Asks the service again for answers that still hold. */
  forget(): void;
  /** Takes no new connection; open ones get their answer. */
  close(): void;
  /** Closes everything at once. */
  stop(): void;
}

/** Opens one. @throws an error with a `code` such as `EADDRINUSE`, if it cannot listen. */
export type OpenHttpServer = (options: HttpServerOptions) => HttpServer;

/** The default time in which a connection must send its request. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** The code of an error of the host, or its text. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
