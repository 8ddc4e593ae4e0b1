/**
 * A loopback TCP port that was free a moment ago, for servers that cannot report port 0 themselves.
 * Another program can take it before its user does: the caller must be ready to try again.
 */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: ignore } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

function ignore(): void {
  // Nobody connects in the moment that the listener lives.
}
