import { fileOwnership } from "@svc/kernel";

const SLASH = "/";

/**
 * A path of a traced process as this one reaches it: through that process's root and working
 * folder. If they are closed to us (it has changed its user), in our own root. A relative one then
 * leads
 * nowhere:
 * in our working folder it could be another file.
 */
export function reachablePath(pid: number, path: string): Uint8Array {
  const encoder = new TextEncoder();
  const place = path.startsWith(SLASH) ? `/proc/${pid}/root` : `/proc/${pid}/cwd/`;
  const through = encoder.encode(place + path);
  if (fileOwnership(through) !== undefined || !path.startsWith(SLASH)) return through;
  return encoder.encode(path);
}
