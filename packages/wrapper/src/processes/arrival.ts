import { type EnvironmentEntry, environmentEntries, type SignalSet } from "@svc/kernel";
import { runtime } from "../engine/runtime.ts";

/** What the wrapper was started with, as the program shall find it. */
export interface Arrival {
  readonly environment: readonly EnvironmentEntry[];
  readonly blockedSignals: SignalSet;
  readonly ignoredSignals: readonly number[];
  /** Descriptors above 2 that are meant for the program. */
  readonly inheritedFds: readonly number[];
}

/** Notes the surroundings before anything changes them. */
export function arrive(): Arrival {
  return {
    environment: environmentEntries(),
    inheritedFds: runtime.openDescriptors(),
    blockedSignals: runtime.signalsBlockedAtStart(),
    ignoredSignals: runtime.ignoredSignals(),
  };
}
