import {
  announceByChildSignal,
  blockedSignals,
  cString,
  openForReading,
  spawnProcess,
  stringVector,
} from "@svc/kernel";
import { courierName } from "../brief.ts";
import type { CourierBirth, Runtime, SignalSource } from "../runtime.ts";
import { ask } from "./ask.ts";
import { sha256OfFile } from "./sha256-of-file.ts";
import { type SignalInbox, takeSignals } from "./signal-inbox.ts";
import { tlsMaterial } from "./tls-material.ts";

// The period only has to fit setTimeout's 31 bits.
const FOREVER_MS = 2 ** 31 - 1;
/** How often a descriptor is looked at although nothing was announced. */
const BACKUP_MS = 5000;

/** The wrapper on Bun. */
export const runtime: Runtime = {
  takeSignals: () => signalSource(takeSignals()),
  signalsBlockedAtStart: blockedSignals,
  prepareCouriers() {
    // The wrapper's own executable as it is now: the file may be replaced.
    const executable = openForReading("/proc/self/exe");
    return { start: async (birth) => spawnCourier(executable, birth) };
  },
  watchReadable,
  giveMemoryBack() {
    Bun.gc(true);
    Bun.shrink();
  },
  sha256OfFile,
  ask,
  tlsMaterial,
};

function signalSource(inbox: SignalInbox): SignalSource {
  return {
    open(take) {
      // A process that waits for signals only has nothing to do, as the runtime sees it, and ends.
      setInterval(() => undefined, FOREVER_MS);
      inbox.open(take);
      setTimeout(() => inbox.catchPower());
      process.on("SIGCHLD", inbox.takeNameless);
      // They may have come before this handler stood.
      inbox.takeNameless();
    },
    onChild: (listener) => void process.on("SIGCHLD", listener),
  };
}

/** It boots on one core while the supervisor goes on on the other. */
function spawnCourier(executable: number, birth: CourierBirth): number {
  return spawnProcess({
    path: `/proc/self/fd/${executable}`,
    argv: stringVector([courierName, ...birth.words].map(cString)),
    envp: stringVector(birth.environment.map((entry) => entry.address)),
    inheritFds: birth.descriptors,
    blockedSignals: birth.blockedSignals,
  });
}

/**
 * The descriptor announces itself by SIGCHLD, as a courier's end does: the runtime's own streams can
 * stop to hear of a descriptor that is written to, and a supervisor that waits for a courier's last
 * word waits for ever.
 */
function watchReadable(fd: number, onNews: () => void): Disposable {
  process.on("SIGCHLD", onNews);
  const timer = setInterval(onNews, BACKUP_MS);
  announceByChildSignal(fd);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      process.off("SIGCHLD", onNews);
    },
  };
}
