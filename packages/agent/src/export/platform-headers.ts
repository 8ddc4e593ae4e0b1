import { readFileSync } from "node:fs";
import { AgentError } from "../agent-error.ts";

const MOST_BYTES = 64 * 1024;
// RFC 9110, section 5.1 and 5.5: a token, and visible characters with blanks between them.
const form = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)$/;

/** Headers that every request carries. Their values are secrets. */
export type PlatformHeaders = ReadonlyMap<string, string>;

/**
 * Reads PLATFORM_HEADERS_FILE: one `Name: value` a line; empty lines and those that begin with `#`
 * say nothing.
 *
 * @throws AgentError `PLATFORM_HEADERS_UNUSABLE`, which shows no value
 */
export function readPlatformHeaders(path: string): PlatformHeaders {
  const headers = new Map<string, string>();
  for (const [index, line] of textOf(path).split("\n").entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const [, name, value] = form.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw unusable(path, `line ${index + 1} is no "Name: value"`);
    }
    headers.set(name.toLowerCase(), value);
  }
  return headers;
}

function textOf(path: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it failed";
    throw unusable(path, code);
  }
  if (bytes.length > MOST_BYTES) throw unusable(path, `more than ${MOST_BYTES} bytes`);
  return new TextDecoder().decode(bytes);
}

function unusable(path: string, found: string): AgentError {
  return new AgentError("PLATFORM_HEADERS_UNUSABLE", `read headers from ${path}: ${found}`);
}
