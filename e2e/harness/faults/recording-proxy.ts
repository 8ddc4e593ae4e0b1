/** A proxy in front of a vault that records the requests and the tokens in the answers. */
export interface RecordingProxy extends AsyncDisposable {
  readonly address: string;
  readonly issuedTokens: () => readonly string[];
  /** The issued tokens that a request came with: its client has taken them over by then. */
  readonly usedTokens: () => readonly string[];
  /** The paths of the requests so far. */
  readonly paths: () => readonly string[];
}

/** Starts the proxy on a free loopback port. */
export function recordingProxy(vault: string): RecordingProxy {
  const tokens: string[] = [];
  const used = new Set<string>();
  const paths: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      paths.push(pathname);
      const held = request.headers.get("x-vault-token") ?? "";
      if (tokens.includes(held)) used.add(held);
      const answer = await fetch(`${vault}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        ...(request.method === "GET" ? {} : { body: await request.bytes() }),
      });
      const text = await answer.text();
      const token = /"client_token":\s*"([^"]+)"/.exec(text)?.[1];
      // A renewal repeats the token.
      if (token !== undefined && pathname.endsWith("/login")) tokens.push(token);
      return new Response(text, { status: answer.status });
    },
  });
  return {
    address: server.url.origin,
    issuedTokens: () => [...tokens],
    usedTokens: () => [...used],
    paths: () => [...paths],
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
