import { runsAsRoot } from "./runs-as-root.ts";

/**
 * Declares a test, or a group of tests, that only root can run: `needsRoot(test)("…", …)`. Root
 * runs it. For an ordinary user it is skipped, and scripts/test.ts counts it in its last line.
 *
 * @param declare `test`, `describe`, or their `concurrent`.
 */
export function needsRoot<Declare extends { skipIf(condition: boolean): Declare }>(
  declare: Declare,
): Declare {
  return declare.skipIf(!runsAsRoot());
}
