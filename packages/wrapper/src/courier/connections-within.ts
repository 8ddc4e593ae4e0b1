/** Buffers of one connection over TLS, and a share of the answers. */
const CONNECTION_BYTES = 64 << 10;
/**
 * Connections by HTTP/1.1 with one server. HTTP/2 is offered if the limit has room for these.
 */
export const MOST_CONNECTIONS = 32;

/** How many connections by HTTP/1.1 at a time fit a limit of locked memory: 1 to 32. Pure. */
export function connectionsWithin(limitBytes: number): number {
  return Math.max(1, Math.min(MOST_CONNECTIONS, Math.floor(limitBytes / CONNECTION_BYTES)));
}

/** As many as the host sends over one connection of HTTP/2. */
const MOST_STREAMS = 256;

/**
 * How many reads of a vault are sent at a time. Over TLS all of them, if the limit of locked
 * memory allows HTTP/2. A read's time begins before the host has a connection for it, so others
 * wait here. Pure.
 */
export function readsAtATime(address: string, limitBytes: number): number {
  const mayUseHttp2 =
    address.startsWith("https:") && connectionsWithin(limitBytes) === MOST_CONNECTIONS;
  return mayUseHttp2 ? MOST_STREAMS : MOST_CONNECTIONS;
}
