import { releaseProgramPages } from "./release-program-pages.ts";

/**
 * Gives memory that is not used any more back to the node: the heap of Bun, and pages of the
 * program that are in its file. Nothing else runs for some ten milliseconds.
 */
export function giveMemoryBack(): void {
  Bun.gc(true);
  Bun.shrink();
  releaseProgramPages();
}
