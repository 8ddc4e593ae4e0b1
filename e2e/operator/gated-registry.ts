/** Stands before a registry and keeps its answers back until it is let go. */
export interface GatedRegistry extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** How often it was asked. */
  readonly asked: () => number;
  readonly letGo: () => void;
}

/** Starts it, closed. */
export function gatedRegistry(origin: string): GatedRegistry {
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      asked += 1;
      await gate.promise;
      const { pathname, search } = new URL(request.url);
      const answer = await fetch(`${origin}${pathname}${search}`, {
        headers: { Accept: request.headers.get("accept") ?? "*/*" },
      });
      return new Response(await answer.bytes(), { status: answer.status, headers: answer.headers });
    },
  });
  return {
    host: `127.0.0.1:${server.port}`,
    asked: () => asked,
    letGo: gate.resolve,
    [Symbol.asyncDispose]: async () => {
      gate.resolve();
      await server.stop(true);
    },
  };
}
