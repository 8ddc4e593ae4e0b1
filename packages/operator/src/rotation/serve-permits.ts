import type { Generation } from "../certificates/generation.ts";
import { revealKey } from "../certificates/key-pem.ts";

/** The server at which wrappers ask for permits. */
export interface PermitServer {
  /** Serves with a certificate, the first or another. @throws the runtime's error */
  readonly serve: (generation: Generation) => void;
  /** The authority by which wrappers verify the server; undefined before the first certificate. */
  readonly authorityPem: () => string | undefined;
  /** The port, once it is served. */
  readonly port: () => number | undefined;
  readonly stop: () => Promise<void>;
}

/** Its address, and the code that answers. */
export interface PermitServerOptions {
  readonly hostname: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly answer: (request: Request) => Promise<Response>;
  /** The most that a question has; a longer body is cut off, and refused. */
  readonly mostBytes: number;
}

/** Longer than a question and its answer take. */
const IDLE_SECONDS = 60;

/** Makes a server that is not served yet. */
export function permitServer({
  hostname,
  port,
  answer,
  mostBytes,
}: PermitServerOptions): PermitServer {
  let current: { readonly server: ReturnType<typeof Bun.serve>; authorityPem: string } | undefined;
  return {
    serve: (generation) => {
      const before = current;
      const server = Bun.serve({
        hostname,
        port: before?.server.port ?? port,
        // Its pages would show sources. Without it the next listener may share the port, too.
        development: false,
        idleTimeout: IDLE_SECONDS,
        maxRequestBodySize: 2 * mostBytes,
        tls: { cert: generation.certificatePem, key: revealKey(generation.key) },
        fetch: answer,
        error: () => new Response(null, { status: 500 }),
      });
      current = { server, authorityPem: generation.authority.pem };
      void before?.server.stop(false);
    },
    authorityPem: () => current?.authorityPem,
    port: () => current?.server.port,
    stop: async () => current?.server.stop(true),
  };
}
