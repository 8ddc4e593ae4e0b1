import { accepted, type Parsed, parseFilePath, parseSocketAddress } from "@svc/settings";
import type { JwtSource } from "./wrapper-settings.ts";

const scheme = "unix://";

/** Parses the path of a file, or `unix:///path` of the agent's socket. */
export function parseJwtSource(text: string): Parsed<JwtSource> {
  const isSocket = text.startsWith(scheme);
  const parsed = isSocket ? parseSocketAddress(text) : parseFilePath(text);
  if (!parsed.ok) return parsed;
  return isSocket
    ? accepted({ kind: "agent", path: parsed.value.slice(scheme.length) })
    : accepted({ kind: "file", path: parsed.value });
}
