import { failure, WrapperError } from "../errors.ts";
import type { WatchedPath } from "../messages/courier-job.ts";

/**
 * The path of a secret with an older version than the known one; undefined if there is none.
 * Standby nodes answer reads with their own data (OpenBao's since 2.5, Vault's performance
 * standbys). It is as old as a moment, or seconds if they have just started. A restored vault
 * looks the same until a client writes.
 */
export function olderVersion(
  known: readonly WatchedPath[],
  seen: readonly WatchedPath[],
): string | undefined {
  const byPath = new Map(known.filter(isNewest).map((path) => [path.path, path]));
  return seen.filter(isNewest).find((path) => isOlder(path, byPath.get(path.path)))?.path;
}

/** @throws WrapperError `SECRET_OUTDATED` if a version is older than the program's. */
export function refuseOlder(
  known: readonly WatchedPath[] | undefined,
  seen: readonly WatchedPath[],
): void {
  const path = olderVersion(known ?? [], seen);
  if (path === undefined) return;
  const message = `read ${path}: it is older than the program's version`;
  throw new WrapperError([failure("SECRET_OUTDATED", message)]);
}

/** A pinned version is the same at each node. */
function isNewest({ pinned }: WatchedPath): boolean {
  return pinned !== true;
}

/** A lower version with a later time is that of a vault that counts again. */
function isOlder(seen: WatchedPath, known: WatchedPath | undefined): boolean {
  if (seen.version === undefined || known?.version === undefined) return false;
  return seen.version < known.version && timeOf(seen) <= timeOf(known);
}

/** RFC 3339, as the KV engine writes it. */
function timeOf({ createdTime }: WatchedPath): number {
  return Date.parse(createdTime ?? "");
}
