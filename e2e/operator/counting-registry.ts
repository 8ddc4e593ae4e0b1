/** Stands before a registry and counts the manifests that it gives: Docker Hub calls each a pull. */
export interface CountingRegistry extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly pulls: () => number;
}

/** Starts it. */
export function countingRegistry(origin: string): CountingRegistry {
  let pulls = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async ({ method, url, headers }) => {
      const { pathname, search } = new URL(url);
      if (method === "GET" && pathname.includes("/manifests/")) pulls += 1;
      const answer = await fetch(`${origin}${pathname}${search}`, {
        method,
        headers: { Accept: headers.get("accept") ?? "*/*" },
      });
      return new Response(method === "HEAD" ? null : await answer.bytes(), {
        status: answer.status,
        headers: answer.headers,
      });
    },
  });
  return {
    host: `127.0.0.1:${server.port}`,
    pulls: () => pulls,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
