import { accepted, type Parsed, refused } from "./parsed.ts";

/** Parses an IPv4 or IPv6 address; the value is its canonical text, without brackets. */
export function parseIpAddress(text: string): Parsed<string> {
  const address = canonicalIpv4(text) ?? canonicalIpv6(text);
  return address === undefined ? refused("an IPv4 or IPv6 address") : accepted(address);
}

function canonicalIpv4(text: string): string | undefined {
  const parts = text.split(".");
  const plain = parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return plain && parts.length === 4 ? text : undefined;
}

/** The canonical text of an IPv6 address; undefined when it is invalid. A zone is not accepted. */
export function canonicalIpv6(text: string): string | undefined {
  if (!/^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/.test(text)) return undefined;
  // The URL parser knows every IPv6 form and is already loaded; node:net is not.
  const url = URL.parse(`http://[${text}]/`);
  return url === null ? undefined : url.hostname.slice(1, -1);
}
