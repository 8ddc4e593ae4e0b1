import { type HostPort, splitHostPort } from "./host-port.ts";
import { canonicalIpv6 } from "./ip-address.ts";
import { accepted, type Parsed, refused } from "./parsed.ts";

const wanted = "an address to listen on, such as :8199, 127.0.0.1:8199 or [::1]:8199";

/**
 * Parses an address to listen on: `:8199`, `host:port` or `[::1]:port`.
 *
 * An empty host means every address of the machine; port 0 means any free port.
 */
export function parseListenAddress(text: string): Parsed<HostPort> {
  const address = splitHostPort(text);
  if (address !== undefined) return accepted(address);
  const hint = listenHint(text);
  return refused(wanted, hint === undefined ? {} : { hint });
}

function listenHint(text: string): string | undefined {
  if (/^\d{1,5}$/.test(text) && splitHostPort(`:${text}`)) return `write :${text}`;
  const ipv6 = /^(.*:.*):(\d{1,5})$/.exec(text);
  const repaired = `[${ipv6?.[1]}]:${ipv6?.[2]}`;
  if (ipv6 !== null && splitHostPort(repaired)) return `write ${repaired}`;
  return canonicalIpv6(text) === undefined ? undefined : `write [${text}]:PORT`;
}
