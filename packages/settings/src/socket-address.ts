import { splitHostPort } from "./host-port.ts";
import { accepted, type Parsed, refused } from "./parsed.ts";
import { isPlain } from "./plain-text.ts";

const wanted = "unix:///path/of/a/socket or host:port";

/** sun_path of sockaddr_un holds 108 bytes, one of them the NUL at its end: unix(7). */
const longestSocketPath = 107;

/** Parses the address of a server: `unix:///path` or `host:port` with a port from 1. */
export function parseSocketAddress(text: string): Parsed<string> {
  if (text.startsWith("unix:///")) return parseUnixAddress(text);
  const address = splitHostPort(text);
  if (address !== undefined && address.host !== "" && address.port > 0) return accepted(text);
  const isPath = text.startsWith("/") && isPlain(text) && text.length <= longestSocketPath;
  return refused(wanted, isPath ? { hint: `write unix://${text}` } : {});
}

function parseUnixAddress(text: string): Parsed<string> {
  const path = text.slice("unix://".length);
  if (path === "/" || path.endsWith("/") || !isPlain(path)) return refused(wanted);
  return new TextEncoder().encode(path).length > longestSocketPath
    ? refused(`a socket path of at most ${longestSocketPath} bytes`)
    : accepted(text);
}
