/** Buffers of one connection over TLS, and a share of the answers. */
const CONNECTION_BYTES = 64 << 10;
/** Connections by HTTP/1.1 with one server. HTTP/2 is offered where the limit has room for these. */
export const MOST_CONNECTIONS = 32;

/** How many connections by HTTP/1.1 at a time fit a limit of locked memory: 1 to 32. Pure. */
export function connectionsWithin(limitBytes: number): number {
  return Math.max(1, Math.min(MOST_CONNECTIONS, Math.floor(limitBytes / CONNECTION_BYTES)));
}
