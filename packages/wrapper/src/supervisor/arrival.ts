import {
  blockedSignals,
  blockSignals,
  type EnvironmentEntry,
  environmentEntries,
  inheritedDescriptors,
  isIgnored,
  type SignalSet,
  signalSet,
} from "@svc/kernel";

/** What the wrapper was started with, as the program shall find it. */
export interface Arrival {
  readonly environment: readonly EnvironmentEntry[];
  readonly blockedSignals: SignalSet;
  readonly ignoredSignals: readonly number[];
  /** Descriptors above 2 that are meant for the program. */
  readonly inheritedFds: readonly number[];
}

// The runtime's garbage collector stops this thread with it, and waits until it has stopped.
const SIGPWR = 30;
const allSignals = Array.from({ length: 64 }, (_, index) => index + 1);

/**
 * Notes the surroundings before anything changes them, and blocks every signal but SIGPWR: what arrives from
 * here on waits until the handlers stand. Bun unblocks while it waits for events (epoll_pwait), so
 * handlers run then; while JS runs, a fault of our own still kills us, for a blocked fault cannot
 * reach a handler (signal(7)).
 */
export function arrive(): Arrival {
  const before = blockedSignals();
  blockSignals(signalSet(allSignals.filter((signal) => signal !== SIGPWR)));
  return {
    environment: environmentEntries(),
    inheritedFds: inheritedDescriptors(),
    blockedSignals: before,
    ignoredSignals: allSignals.filter((signal) => !reservedByLibc(signal) && isIgnored(signal)),
  };
}

/** glibc keeps the first two real-time signals to itself and refuses sigaction for them. */
function reservedByLibc(signal: number): boolean {
  return signal === 32 || signal === 33;
}
