import {
  type EnvironmentEntry,
  environmentEntries,
  inheritedDescriptors,
  isIgnored,
  type SignalSet,
} from "@svc/kernel";
import { runtime } from "../engine/runtime.ts";

/** What the wrapper was started with, as the program shall find it. */
export interface Arrival {
  readonly environment: readonly EnvironmentEntry[];
  readonly blockedSignals: SignalSet;
  readonly ignoredSignals: readonly number[];
  /** Descriptors above 2 that are meant for the program. */
  readonly inheritedFds: readonly number[];
}

const allSignals = Array.from({ length: 64 }, (_, index) => index + 1);

/** Notes the surroundings before anything changes them. */
export function arrive(): Arrival {
  return {
    environment: environmentEntries(),
    inheritedFds: inheritedDescriptors(),
    blockedSignals: runtime.signalsBlockedAtStart(),
    ignoredSignals: allSignals.filter((signal) => !reservedByLibc(signal) && isIgnored(signal)),
  };
}

/** glibc keeps the first two real-time signals to itself and refuses sigaction for them. */
function reservedByLibc(signal: number): boolean {
  return signal === 32 || signal === 33;
}
