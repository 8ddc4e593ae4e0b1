import { childStatus, SIGCONT, SIGKILL, SIGTERM, sendSignal } from "@svc/kernel";
import { signalName } from "@svc/settings";
import { runtime } from "../engine/runtime.ts";
import type { Logger } from "../log.ts";
import { courierName } from "../messages/job-message.ts";
import type { Ending } from "../program/ending.ts";
import { endsByDefault } from "../program/ends-by-default.ts";
import { maybeStopped } from "../program/maybe-stopped.ts";
import { Tracer } from "../tracer/tracer.ts";
import type { Children } from "./children.ts";
import type { Courier } from "./start-courier.ts";
import { giveTerminal, type TerminalControl } from "./terminal-control.ts";

export interface MainChildOptions {
  readonly children: Children;
  /** The signal that asks the program to end. */
  readonly stopSignal: number;
  /** Time from it to SIGKILL. */
  readonly stopGraceMs: number;
  readonly log: Logger;
  /** As of the tracer, if there is one. */
  readonly onProgram: (environmentStart: bigint) => void;
  readonly onUnprotected: () => void;
}

/**
 * The child that the wrapper stands for: a courier, and the program that it becomes. It has the
 * terminal, gets the signals, and is ended when it ignores its stop signal.
 */
export class MainChild {
  readonly pid: number;
  readonly tracer: Tracer;
  readonly ended: Promise<Ending>;
  readonly #options: MainChildOptions;
  #terminal: TerminalControl | undefined;
  #killTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(courier: Courier, options: MainChildOptions) {
    const { pid, tracing, readPlan, regionFd, takeListener } = courier;
    const { children, log, onProgram, onUnprotected } = options;
    this.pid = pid;
    this.#options = options;
    this.tracer = new Tracer({
      pid,
      tracing: tracing.kind === "tracing",
      readPlan,
      regionFd,
      takeListener,
      watchReadable: runtime.watchReadable,
      reap: () => children.reap(),
      log,
      onProgram,
      onUnprotected,
    });
    const onStopped = () => this.#terminal?.onStopped();
    this.ended = children.follow(pid, { tracer: this.tracer, onStopped }).then((ending) => {
      this.#close();
      return ending;
    });
  }

  /** Gives it the terminal, if there is one. */
  takeTerminal(): void {
    this.#terminal ??= giveTerminal(this.pid);
  }

  /**
   * Hands a signal on, with its value of sigqueue(3) if it has one. A program that is stopped gets
   * SIGCONT after its stop signal, as from systemd: it could not act on it before its grace is over.
   */
  forward(signal: number, value?: bigint): void {
    const { stopSignal, stopGraceMs } = this.#options;
    // The program is in the group that the terminal's job continues with.
    const hasIt = signal === SIGCONT && this.#terminal?.onContinued() === true;
    if (!hasIt || value !== undefined) sendSignal(this.pid, signal, value);
    if (signal !== stopSignal) return;
    if (maybeStopped(this.pid)) sendSignal(this.pid, SIGCONT);
    // A courier has no handler for a signal like SIGWINCH.
    if (!endsByDefault(signal) && isCourier(this.pid)) sendSignal(this.pid, SIGTERM);
    this.#killTimer ??= setTimeout(() => this.#killGroup(), stopGraceMs);
  }

  /** The stop signal, and SIGKILL once the grace is over. */
  stop(): Promise<Ending> {
    this.forward(this.#options.stopSignal);
    return this.ended;
  }

  #killGroup(): void {
    sendSignal(-this.pid, SIGKILL);
    sendSignal(this.pid, SIGKILL);
    const { log, stopSignal, stopGraceMs } = this.#options;
    log.warn(`the program ignored ${signalName(stopSignal)}: sent SIGKILL`, {
      afterMs: stopGraceMs,
    });
  }

  #close(): void {
    clearTimeout(this.#killTimer);
    this.#terminal?.release();
    this.tracer.releaseAll();
    void this.tracer.closed.then(() => this.#options.children.forget(this.tracer));
  }
}

/** The supervisor hears of an execve later: Name changes with it, proc_pid_status(5). */
function isCourier(pid: number): boolean {
  return childStatus(pid)?.get("Name") === courierName;
}
