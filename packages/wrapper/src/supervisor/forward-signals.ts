import { constants } from "node:os";
import { catchSignal, readDescriptor } from "@svc/kernel";

/** Cannot be caught, or are the supervisor's own affair: its children, and noise of runtimes. */
const kept = new Set(["SIGKILL", "SIGSTOP", "SIGCHLD", "SIGURG"]);

/** Hands every signal that can be caught and has a name to `forward`, by number. */
export function forwardSignals(forward: (signal: number) => void): void {
  const seen = new Set<number>();
  for (const [name, signal] of Object.entries(constants.signals)) {
    // Bun delivers a signal under the first of its names: SIGABRT and not SIGIOT, SIGIO and not SIGPOLL.
    if (kept.has(name) || seen.has(signal)) continue;
    seen.add(signal);
    process.on(name, () => forward(signal));
  }
}

/**
 * SIGSTKFLT and the real-time signals that glibc leaves to programs have no name in JS. SIGPWR has one,
 * but belongs to JavaScriptCore as well: its collector stops this thread with it (kernel/signal-pipe.ts).
 */
const nameless = [16, 30, ...Array.from({ length: 31 }, (_, index) => 34 + index)];
const BYTES_PER_ARRIVAL = 8;
const MAX_ARRIVALS = 512;

/**
 * Hands on the signals that have no name in JS. They are rare and their arrival is announced by
 * SIGCHLD, so 33 pipes need no reader each.
 *
 * @returns what to do on SIGCHLD, besides reaping.
 */
export function catchNamelessSignals(forward: (signal: number) => void): () => void {
  const caught = nameless.map((signal) => ({ signal, fd: catchSignal(signal) }));
  return () => {
    for (const { signal, fd } of caught) {
      for (let count = fd === undefined ? 0 : arrivals(fd); count > 0; count -= 1) {
        forward(signal);
      }
    }
  };
}

function arrivals(fd: number): number {
  const result = readDescriptor(fd, MAX_ARRIVALS * BYTES_PER_ARRIVAL);
  return result.kind === "bytes" ? result.bytes.length / BYTES_PER_ARRIVAL : 0;
}
