import { parseIpAddress } from "./ip-address.ts";
import { accepted, type Parsed, refused } from "./parsed.ts";

const label = "[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?";
const hostName = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`);

/**
 * Parses the name of a server as certificates have it: a DNS name in ASCII or an IP address, without
 * scheme and port; RFC 6125.
 */
export function parseServerName(text: string): Parsed<string> {
  const address = parseIpAddress(text);
  if (address.ok) return address;
  const isName = hostName.test(text) && !/^\d+$/.test(text.slice(text.lastIndexOf(".") + 1));
  if (isName) return accepted(text);
  const [, name] = /^(?:[a-z]+:\/\/)?([^/:\s]+)(?::\d+)?\/?$/i.exec(text) ?? [];
  const hint =
    name !== undefined && name !== text && hostName.test(name) ? { hint: `write ${name}` } : {};
  return refused("a host name or an IP address, without scheme and port", hint);
}
