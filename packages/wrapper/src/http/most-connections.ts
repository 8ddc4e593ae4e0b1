/**
 * Most connections at a time. A client that opens 3,000 a second evicts its own after 85 ms. That
 * is long enough for a handshake on a busy machine, should a probe come from the same address.
 */
export const MAX_CONNECTIONS = 256;

/** Descriptors that the wrapper needs for everything else, a rotation included. */
const OTHER_DESCRIPTORS = 28;
/** With fewer connections no probe could be told from a flood. */
const LEAST_CONNECTIONS = 4;

/** The longest message of a TLS handshake that rustls takes, and the longest head of a request. */
const LOCKED_BYTES_A_CONNECTION = 64 << 10;

/**
 * The connections that a process may have at a time, by its RLIMIT_NOFILE. Pure.
 *
 * @param lockBytes RLIMIT_MEMLOCK, if the memory of connections is locked: with
 * SVC_REQUIRE_MLOCK=true a process ends that needs more
 */
export function mostConnections(descriptorLimit: number, lockBytes?: number): number {
  const left = descriptorLimit - OTHER_DESCRIPTORS;
  const most = Math.max(LEAST_CONNECTIONS, Math.min(MAX_CONNECTIONS, left));
  if (lockBytes === undefined) return most;
  return Math.max(1, Math.min(most, Math.floor(lockBytes / LOCKED_BYTES_A_CONNECTION)));
}
