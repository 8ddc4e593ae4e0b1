import { releaseProgramText } from "@svc/kernel";

/** What only a start has needed, that of the agent or of many wrappers. */
export function giveMemoryBack(): void {
  Bun.gc(true);
  Bun.shrink();
  releaseProgramText();
}
