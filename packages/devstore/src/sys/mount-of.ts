import type { StoreState } from "../model/store-state.ts";

/** Where the development engine with leases is mounted. */
export const DEV_LEASE_MOUNT = "dev-lease";

/** The mount that `path` lies in, without a slash at the end; the longest when several fit. */
export function mountOf(state: StoreState, path: string): string | undefined {
  const mounts = [...state.mounts.keys(), DEV_LEASE_MOUNT];
  const fitting = mounts.filter((mount) => path === mount || path.startsWith(`${mount}/`));
  return fitting.sort((left, right) => right.length - left.length)[0];
}
