import { fixture } from "../harness/programs/fixture-programs.ts";

/**
 * CLOCK_MONOTONIC in milliseconds, as programs read it: `performance.now()` counts from our own
 * start.
 */
export function monotonicClock(): () => number {
  const before = performance.now();
  const { stdout } = Bun.spawnSync([fixture("appends-values")]);
  const shift = Number(stdout.toString()) / 1e6 - (before + performance.now()) / 2;
  return () => performance.now() + shift;
}
