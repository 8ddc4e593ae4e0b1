import { type Parsed, parseDurationBetween } from "@svc/settings";

const parseDuration = parseDurationBetween({ least: "100ms" });

/** Parses VAULT_CLIENT_TIMEOUT as Vault's client does: a Go duration, or a number of seconds. */
export function parseClientTimeout(text: string): Parsed<number> {
  return parseDuration(/^\d+$/.test(text) ? `${text}s` : text);
}
