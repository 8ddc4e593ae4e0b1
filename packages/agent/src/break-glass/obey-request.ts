import { type RemovedPins, removePins } from "../monitor/kernel-pins.ts";
import type { BreakGlassRequest } from "./break-glass-request.ts";

/** The interface to the guards: the agent's, or those that it left. */
export interface Guards {
  readonly open: (milliseconds: number) => void;
  readonly close: () => void;
}

/** Fulfils the request, and returns the result. */
export function obeyRequest(request: BreakGlassRequest, guards: Guards, pinFolder: string): string {
  switch (request.ask) {
    case "open":
      guards.open(request.seconds * 1000);
      return `the guards are open for ${request.seconds} s`;
    case "close":
      guards.close();
      return "the guards are closed";
    case "remove":
      return removed(removePins(pinFolder));
  }
}

function removed({ wasPinned, left }: RemovedPins): string {
  const done = wasPinned
    ? "the pinned programs are removed: protection ends with the running agent, or has ended"
    : "nothing was pinned";
  return [done, ...left.map((found) => `${found}, and stays: no agent has made it`)].join("; ");
}
