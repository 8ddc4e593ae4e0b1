import type { SecretMetadata, VersionState } from "@svc/vault";
import type { WatchedPath } from "../messages/courier-job.ts";
import { olderVersion } from "./older-version.ts";

/** The metadata's word on a watched secret. */
export interface JudgedVersion {
  readonly path: WatchedPath;
  /** True if only a read of the values can tell. */
  readonly suspicious: boolean;
  readonly older?: boolean;
}

/** Compares the version that the program has with the versions of the vault. Pure. */
export function judgeVersion(
  path: WatchedPath,
  { currentVersion, versions }: SecretMetadata,
  nowMs: number,
): JudgedVersion {
  const version = path.pinned === true ? path.version : currentVersion;
  const state = version === undefined ? undefined : versions.get(version);
  const createdTime = state?.createdTime;
  const same = version === path.version && createdTime === path.createdTime;
  const seen = { ...path, version: currentVersion, createdTime: createdTime ?? "" };
  return {
    path,
    suspicious: !same || isGone(state, nowMs),
    older: olderVersion([path], [seen]) !== undefined,
  };
}

/**
 * A deletion_time in the future is that of delete_version_after: until then the vault gives the
 * values out. Only the wrapper's clock is known here. If it is ahead, the read finds the values. If
 * it is behind, the deletion is noticed later.
 */
function isGone(state: VersionState | undefined, nowMs: number): boolean {
  if (state === undefined) return true;
  if (state.destroyed) return true;
  return state.deletionTime !== "" && !(Date.parse(state.deletionTime) > nowMs);
}
