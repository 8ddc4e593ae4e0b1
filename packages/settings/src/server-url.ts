import { accepted, type Parsed, refused } from "./parsed.ts";
import { withoutOuterSlashes } from "./path-segments.ts";

const wanted = "an http:// or https:// URL with a port, such as https://vault.example:8200";
const urlForm =
  /^[Hh][Tt][Tt][Pp][Ss]?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#:@[\]\\]+):(\d{1,5})(?:\/[^\s?#\\]*)?$/;

/**
 * Parses the URL of a server: scheme http or https, host, port, and a path before the API's own
 * if the server stands behind a gateway. No user, no query, no fragment.
 *
 * The value has no slash at its end and keeps its port even if the scheme implies it.
 */
export function parseServerUrl(text: string): Parsed<string> {
  // A URL parser drops some control characters, and people do not see those that change direction.
  if (!isVisibleAscii(text)) return refused(`${wanted}, in visible ASCII characters`);
  const port = Number(urlForm.exec(text)?.[1] ?? "0");
  const url = port >= 1 && port <= 65_535 ? URL.parse(text) : null;
  if (url === null) return refusedUrl(text);
  const path = withoutOuterSlashes(url.pathname);
  const origin = `${url.protocol}//${url.hostname}:${port}`;
  return accepted(path === "" ? origin : `${origin}/${path}`);
}

function isVisibleAscii(text: string): boolean {
  return /^[!-~]*$/.test(text);
}

function refusedUrl(text: string): Parsed<string> {
  const shown = withoutCredentials(text);
  const repaired = repairedUrl(shown);
  const hint = repaired === undefined ? {} : { hint: `write ${repaired}` };
  if (shown === text) return refused(wanted, hint);
  return refused("a URL without user, password, query and fragment", { got: shown, ...hint });
}

/** A password in a URL must not reach a log through the message that refuses it. */
function withoutCredentials(text: string): string {
  const [beforeQuery = ""] = text.split(/[?#]/, 1);
  return beforeQuery.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/]*@/i, "$1");
}

function repairedUrl(shown: string): string | undefined {
  const match = /^(?:(https?):\/\/)?(\[[^\]]*\]|[^:/\s]+)(?::(\d+))?(\/.*)?$/i.exec(shown);
  if (match === null) return undefined;
  const [, scheme = "https", host = "", port = "8200", path = ""] = match;
  const candidate = `${scheme}://${host}:${port}${path}`;
  const usable = candidate.length <= 80 && urlForm.test(candidate) && URL.canParse(candidate);
  return usable ? candidate : undefined;
}
