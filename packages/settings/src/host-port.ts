import { canonicalIpv6 } from "./ip-address.ts";

/** Two parts of a network address. */
export interface HostPort {
  /** A host name or an IP address, without brackets; empty if the text names none. */
  readonly host: string;
  readonly port: number;
}

/** Splits `host:port`, `[::1]:port` or `:port`; undefined when the text has none of these forms. */
export function splitHostPort(text: string): HostPort | undefined {
  const match = /^(?:\[([^\]]*)\]|([A-Za-z0-9._-]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, bracketed, name = "", portText] = match;
  const host = bracketed === undefined ? validName(name) : canonicalIpv6(bracketed);
  const port = Number(portText);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

function validName(name: string): string | undefined {
  return name === "" || URL.canParse(`http://${name}/`) ? name : undefined;
}
