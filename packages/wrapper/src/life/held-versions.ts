import type { WatchedPath } from "../messages/courier-job.ts";

/** A version of a secret that the program has. */
export interface HeldVersion extends Pick<WatchedPath, "path" | "pinned" | "createdTime"> {
  readonly version: number;
  /** Since when; milliseconds since the epoch. */
  readonly sinceMs: number;
}

/**
 * The versions of a program that has these secrets. One that the program before had as well keeps
 * its time. Secrets without a version are left out. Pure.
 */
export function heldVersions(
  before: readonly HeldVersion[],
  watched: readonly WatchedPath[],
  nowMs: number,
): readonly HeldVersion[] {
  return watched.flatMap(({ path, pinned, createdTime, version }) => {
    if (version === undefined) return [];
    const held = {
      ...{ path, version },
      ...(pinned && { pinned }),
      ...(createdTime !== undefined && { createdTime }),
    };
    const sinceMs = before.find((one) => isSame(one, held))?.sinceMs ?? nowMs;
    return [{ ...held, sinceMs }];
  });
}

/** A path that was removed and written again has another first version. */
function isSame(one: HeldVersion, other: Omit<HeldVersion, "sinceMs">): boolean {
  return (
    one.path === other.path &&
    one.pinned === other.pinned &&
    one.version === other.version &&
    one.createdTime === other.createdTime
  );
}
