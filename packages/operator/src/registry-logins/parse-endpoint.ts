import { isOwnAddress } from "../image/private-address.ts";

/**
 * Parses the address of a server that tokens go to: https, or http to the loopback and the link, at
 * which clouds have their metadata. Undefined if it is another.
 */
export function parseEndpoint(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && isLocal(url.hostname) ? url : undefined;
}

/** fd00:ec2::/32 is the link of AWS's machines for IPv6. */
function isLocal(hostname: string): boolean {
  return isOwnAddress(hostname) || hostname.startsWith("[fd00:ec2:");
}
