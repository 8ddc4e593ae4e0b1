import type { RotationMode, RotationWay } from "@svc/settings";

/** The meaning of a rotation mode for the parts of the wrapper. */
export interface RotationTraits {
  /** The way of its rotations; undefined if the wrapper fetches once and never looks again. */
  readonly way: RotationWay | undefined;
  /** True if a rotation ends the program and starts another one. */
  readonly restarts: boolean;
  /** True if the program keeps running, finds new values in its region, and gets SIGHUP. */
  readonly refreshes: boolean;
}

const rotationTraits: Readonly<Record<RotationMode, RotationTraits>> = {
  restart: { way: "restart", restarts: true, refreshes: false },
  sighup: { way: "sighup", restarts: false, refreshes: true },
  none: { way: undefined, restarts: false, refreshes: false },
};

/** The traits of the settings' rotation mode. */
export function rotationOf(settings: {
  readonly rotation: { readonly mode: RotationMode };
}): RotationTraits {
  return rotationTraits[settings.rotation.mode];
}
