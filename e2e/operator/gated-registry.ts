/** Stands before a registry and keeps its answers back until it is released. */
export interface GatedRegistry extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** Whether it was asked for the image of this tag. */
  readonly wasAskedFor: (tag: string) => boolean;
  readonly release: () => void;
}

/** Starts it, closed. */
export function gatedRegistry(origin: string): GatedRegistry {
  const gate = Promise.withResolvers<void>();
  const asked = new Set<string>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      asked.add(pathname);
      await gate.promise;
      const answer = await fetch(`${origin}${pathname}${search}`, {
        headers: { Accept: request.headers.get("accept") ?? "*/*" },
      });
      return new Response(await answer.bytes(), { status: answer.status, headers: answer.headers });
    },
  });
  return {
    host: `127.0.0.1:${server.port}`,
    wasAskedFor: (tag) => [...asked].some((path) => path.endsWith(`/manifests/${tag}`)),
    release: gate.resolve,
    [Symbol.asyncDispose]: async () => {
      gate.resolve();
      await server.stop(true);
    },
  };
}
