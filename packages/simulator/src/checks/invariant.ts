import type { World } from "../world/world.ts";

/** A promise of the wrapper. */
export interface Invariant {
  readonly name: string;
  /** The promise in one sentence. */
  readonly promise: string;
  /** How it is broken; undefined while it holds. Called after each turn, unless `atEnd` is set. */
  readonly broken: (world: World) => string | undefined;
  /** Called once, after the wrapper's end. */
  readonly atEnd?: true;
}
