import type { Following } from "@svc/settings";

/** The meaning of a way of following for the parts of the wrapper. */
export interface FollowingTraits {
  /** True if the kernel announces each execve, for which a process needs a filter. */
  readonly isAnnounced: boolean;
  /** True if the programs stay traced, and inherit the region's descriptor. */
  readonly staysTraced: boolean;
}

/** The traits of each way of following. */
export const followingTraits: Readonly<Record<Following, FollowingTraits>> = {
  notify: { isAnnounced: true, staysTraced: false },
  trace: { isAnnounced: false, staysTraced: true },
  off: { isAnnounced: false, staysTraced: false },
};
