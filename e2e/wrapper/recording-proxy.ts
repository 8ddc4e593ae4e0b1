/** A proxy in front of a vault that remembers the tokens that the vault gives out. */
export interface RecordingProxy extends AsyncDisposable {
  readonly address: string;
  readonly issuedTokens: () => readonly string[];
}

/** Starts the proxy on a free loopback port. */
export function recordingProxy(vault: string): RecordingProxy {
  const tokens: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const answer = await fetch(`${vault}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        ...(request.method === "GET" ? {} : { body: await request.bytes() }),
      });
      const text = await answer.text();
      const token = /"client_token":\s*"([^"]+)"/.exec(text)?.[1];
      if (token !== undefined) tokens.push(token);
      return new Response(text, { status: answer.status });
    },
  });
  return {
    address: server.url.origin,
    issuedTokens: () => [...tokens],
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
