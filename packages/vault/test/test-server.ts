export { adminOf, clientOf, failure } from "./test-client.ts";

/** A request as a test server saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A real HTTP server on a free loopback port that records its requests. */
export interface TestServer extends Disposable {
  readonly address: string;
  readonly seen: readonly SeenRequest[];
}

type Handler = (request: SeenRequest) => Response | Promise<Response>;

export function startServer(handler: Handler, tls?: Bun.TLSOptions): TestServer {
  const seen: SeenRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    ...(tls && { tls }),
    async fetch(request) {
      const url = new URL(request.url);
      const { method, headers } = request;
      const record = {
        method,
        headers,
        target: url.pathname + url.search,
        body: await request.text(),
      };
      seen.push(record);
      return handler(record);
    },
  });
  return {
    address: `${tls ? "https" : "http"}://127.0.0.1:${server.port}`,
    seen,
    [Symbol.dispose]: () => server.stop(true),
  };
}

/** A server that answers every request with the same bytes, and then closes if told so. */
export function startRawServer(answer: string | Uint8Array, close: boolean): TestServer {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write(answer);
        if (close) socket.end();
      },
    },
  });
  return {
    address: `http://127.0.0.1:${listener.port}`,
    seen: [],
    [Symbol.dispose]: () => listener.stop(true),
  };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}

/** The answer of OpenBao 2.7 to the read of a KV v2 secret. */
export function kv2(fields: string, version = 1): Response {
  const metadata = `{"created_time":"2026-11-21T01:56:35.4Z","custom_metadata":null,"deletion_time":"","destroyed":false,"version":${version}}`;
  return new Response(
    `{"request_id":"r","lease_id":"","renewable":false,"lease_duration":0,"data":{"data":${fields},"metadata":${metadata}},"warnings":null,"auth":null}`,
    { headers: { "Content-Type": "application/json" } },
  );
}
