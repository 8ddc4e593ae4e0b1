import {
  type EnvironmentEntry,
  environmentEntries,
  hearOfChildren,
  type SignalSet,
} from "@svc/kernel";
import { runtime } from "../engine/runtime.ts";

/** The wrapper's start state, which the program must find unchanged. */
export interface Arrival {
  readonly environment: readonly EnvironmentEntry[];
  readonly blockedSignals: SignalSet;
  readonly ignoredSignals: readonly number[];
  /** Descriptors above 2 that are meant for the program. */
  readonly inheritedFds: readonly number[];
}

/** Notes the surroundings before anything changes them. */
export function arrive(): Arrival {
  const arrival = {
    environment: environmentEntries(),
    inheritedFds: runtime.openDescriptors(),
    blockedSignals: runtime.signalsBlockedAtStart(),
    ignoredSignals: runtime.ignoredSignals(),
  };
  // The courier ignores it again for the program. Other ignored signals do no harm here: signals
  // are blocked, and the kernel keeps a blocked one (signal(7)).
  hearOfChildren();
  return arrival;
}
