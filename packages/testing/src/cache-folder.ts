import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The folder of downloads and builds for tests, outside the checkout:
 * `${XDG_CACHE_HOME:-~/.cache}/svc` (XDG Base Directory Specification: a relative path is ignored).
 */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CACHE_HOME: wanted = "" } = env;
  const base = wanted.startsWith("/") ? wanted : join(env["HOME"] || homedir(), ".cache");
  return join(base, "svc");
}
