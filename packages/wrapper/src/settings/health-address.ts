import { accepted, type HostPort, type Parsed, parseListenAddress } from "@svc/settings";

/** Parses HEALTH_ADDR: an address to listen on, or `off` for no server. */
export function parseHealthAddress(text: string): Parsed<HostPort | "off"> {
  return text === "off" ? accepted("off") : parseListenAddress(text);
}
