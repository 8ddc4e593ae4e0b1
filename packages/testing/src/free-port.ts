import { TestingError } from "./errors.ts";

// Below the ports that Linux gives by itself (net.ipv4.ip_local_port_range): no connection and no
// listener of another test takes it by chance.
const FIRST = 20_000;
const LAST = 32_000;
const MAX_TRIES = 100;

/**
 * A loopback TCP port that was free a moment ago, for servers that cannot report port 0 themselves.
 * Another program that wants this very port can take it before its user does.
 *
 * @throws TestingError `NO_PORT` if a hundred ports in a row are taken.
 */
export function freePort(): number {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (isFree(port)) return port;
  }
  throw new TestingError("NO_PORT", "find a free port: all that were tried are taken");
}

function isFree(port: number): boolean {
  try {
    const listener = Bun.listen({ hostname: "127.0.0.1", port, socket: { data: ignore } });
    listener.stop(true);
    return true;
  } catch {
    return false;
  }
}

function ignore(): void {
  // No client connects in the moment that the listener lives.
}
