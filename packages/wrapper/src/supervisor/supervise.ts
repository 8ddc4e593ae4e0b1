import {
  type ChildChange,
  nextChildChange,
  sendSignal,
  signalName,
  type TraceeStop,
} from "@svc/kernel";
import type { Logger } from "../log.ts";
import type { Tracer } from "../tracer/tracer.ts";
import { catchNamelessSignals, forwardSignals } from "./forward-signals.ts";
import { giveTerminal } from "./terminal-control.ts";

const SIGKILL = 9;
const SIGTERM = 15;
const SIGCONT = 18;
// A timer keeps the event loop alive; its period only has to fit setTimeout's 31 bits.
const FOREVER_MS = 2 ** 31 - 1;

/** How the main child ended; 128 + n for signal n, as shells count. */
export interface Ending {
  readonly exitCode: number;
  readonly signal?: number;
}

export interface Supervision {
  readonly pid: number;
  /** Time from SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  readonly log: Logger;
  readonly tracer: Tracer;
}

/**
 * Looks after the main child until it ends: forwards signals, reaps orphans, ends a program that
 * ignores SIGTERM, and follows the terminal's job control.
 */
export function supervise({ pid, stopGraceMs, log, tracer }: Supervision): Promise<Ending> {
  const terminal = giveTerminal(pid);
  const ended = Promise.withResolvers<Ending>();
  const alive = setInterval(() => undefined, FOREVER_MS);
  let killTimer: ReturnType<typeof setTimeout> | undefined;

  forwardSignals(forward);
  setTimeout(() => {
    process.on("SIGCHLD", catchNamelessSignals(forward));
  });
  process.on("SIGCHLD", reap);
  // A child that ended before the handler stood has sent its signal already.
  reap();
  return ended.promise;

  function forward(signal: number): void {
    if (signal === SIGCONT) terminal.onContinued();
    sendSignal(pid, signal);
    if (signal === SIGTERM) killTimer ??= setTimeout(killGroup, stopGraceMs);
    // Logging may wait for a reader: what matters comes before it.
    log.debug(`forwarded ${signalName(signal)}`);
  }

  function killGroup(): void {
    sendSignal(-pid, SIGKILL);
    sendSignal(pid, SIGKILL);
    log.warn("the program ignored SIGTERM: sent SIGKILL", { afterMs: stopGraceMs });
  }

  function reap(): void {
    for (let change = nextChildChange(); change !== undefined; change = nextChildChange()) {
      if (change.kind === "traced") onTraced(change);
      else if (change.pid === pid) onMainChild(change);
      if (change.kind === "exited" || change.kind === "killed") tracer.onEnd(change.pid);
    }
  }

  function onTraced(stop: TraceeStop): void {
    const outcome = tracer.onStop(stop);
    if (outcome === "stopped by job control" && stop.pid === pid) terminal.onStopped();
  }

  function onMainChild(change: Exclude<ChildChange, TraceeStop>): void {
    switch (change.kind) {
      case "exited":
        end({ exitCode: change.code });
        break;
      case "killed":
        end({ exitCode: 128 + change.signal, signal: change.signal });
        break;
      case "stopped":
        terminal.onStopped();
        break;
      case "continued":
        break;
    }
  }

  function end(ending: Ending): void {
    clearTimeout(killTimer);
    clearInterval(alive);
    terminal.release();
    ended.resolve(ending);
  }
}
