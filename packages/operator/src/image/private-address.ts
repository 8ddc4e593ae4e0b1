/**
 * Whether a URL's host is an address, or a name, of this machine or of a private network. Token
 * servers and storage are named by the registry's answer: a foreign one must not send us to our own
 * neighbours.
 */
export function isPrivateAddress(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  if (host.startsWith("[")) return isPrivateIpv6(host.slice(1, -1));
  // A URL's host of digits has been made one of four numbers.
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host)?.slice(1).map(Number);
  return parts !== undefined && isPrivateIpv4(parts);
}

/**
 * RFC 6890: this host, private use, carrier's NAT, loopback, link local, benchmarks, multicast and
 * above.
 */
function isPrivateIpv4([a = 0, b = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b < 128;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b < 32;
  if (a === 192) return b === 168 || b === 0;
  return a === 198 && (b === 18 || b === 19);
}

/**
 * Addresses that are not global unicast (2000::/3), and the addresses there that hold an IPv4
 * address (6to4, Teredo).
 */
function isPrivateIpv6(address: string): boolean {
  return !/^[23][0-9a-f]{3}:/.test(address) || /^2002:/.test(address) || /^2001:0?:/.test(address);
}

/** Whether a URL's host is this machine or its link: on a node it names another server. */
export function isOwnAddress(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  if (host.startsWith("[")) return /^\[(?:::|fe[89ab])/.test(host);
  return /^(?:0|127|169\.254)\.[\d.]+$/.test(host);
}
