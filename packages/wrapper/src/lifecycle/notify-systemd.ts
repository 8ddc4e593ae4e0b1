import {
  type EnvironmentEntry,
  monotonicMicroseconds,
  SyscallError,
  sendDatagram,
  valueBytes,
} from "@svc/kernel";
import type { Logger } from "../log.ts";

/** systemd's variables for a service; sd_notify(3), sd_watchdog_enabled(3). */
export interface NotifyEnvironment {
  /** NOTIFY_SOCKET. */
  readonly notifySocket?: string | undefined;
  /** WATCHDOG_USEC. */
  readonly watchdogUsec?: string | undefined;
  /** WATCHDOG_PID. */
  readonly watchdogPid?: string | undefined;
}

/** Tells systemd how the service is. Without systemd every call does nothing. */
export interface Notifier {
  /** The application runs, or runs again. Starts the watchdog. */
  readonly ready: (status: string) => void;
  /** One line that `systemctl status` shows. */
  readonly status: (text: string) => void;
  /** The application is being replaced; `ready` ends it. */
  readonly reloading: (status: string) => void;
  /** The service is on its way out. */
  readonly stopping: (status: string) => void;
  /** Ends the timers. */
  readonly stop: () => void;
}

/** The inputs of a notifier. */
export interface NotifierOptions {
  /** This process's, which WATCHDOG_PID must name if it is set. */
  readonly pid: number;
  readonly log: Logger;
}

const RETRY_MS = 100;

/** Reads them from the environment; an odd byte in a value makes an unused address. */
export function notifyEnvironment(entries: readonly EnvironmentEntry[]): NotifyEnvironment {
  const text = (name: string) => {
    const entry = entries.find((candidate) => candidate.name === name);
    return entry && new TextDecoder().decode(valueBytes(entry));
  };
  return {
    notifySocket: text("NOTIFY_SOCKET"),
    watchdogUsec: text("WATCHDOG_USEC"),
    watchdogPid: text("WATCHDOG_PID"),
  };
}

/** Makes a notifier from the values of the variables. They are not taken out of the environment. */
export function createNotifier(environment: NotifyEnvironment, options: NotifierOptions): Notifier {
  const { notifySocket } = environment;
  if (notifySocket === undefined || notifySocket === "") return silentNotifier;
  const sender = new Sender(notifySocket, options.log);
  const periodMs = watchdogPeriodMs(environment, options.pid);
  let watchdog: ReturnType<typeof setInterval> | undefined;
  const send = (...lines: readonly string[]) => sender.send(`${lines.join("\n")}\n`);
  return {
    ready: (status) => {
      send("READY=1", statusLine(status));
      if (periodMs !== undefined) watchdog ??= setInterval(() => send("WATCHDOG=1"), periodMs);
    },
    status: (text) => send(statusLine(text)),
    // systemd wants to tell this reload from a former one by its time (sd_notify(3)).
    reloading: (status) =>
      send("RELOADING=1", `MONOTONIC_USEC=${monotonicMicroseconds()}`, statusLine(status)),
    stopping: (status) => send("STOPPING=1", statusLine(status)),
    stop: () => {
      clearInterval(watchdog);
      sender.stop();
    },
  };
}

const silentNotifier: Notifier = {
  ready: () => undefined,
  status: () => undefined,
  reloading: () => undefined,
  stopping: () => undefined,
  stop: () => undefined,
};

/** Half of the time after which systemd loses patience; undefined if no watchdog waits for us. */
export function watchdogPeriodMs(
  { watchdogUsec, watchdogPid }: NotifyEnvironment,
  pid: number,
): number | undefined {
  if (watchdogPid !== undefined && watchdogPid !== "" && watchdogPid !== String(pid)) {
    return undefined;
  }
  if (watchdogUsec === undefined || !/^[1-9]\d{0,17}$/.test(watchdogUsec)) return undefined;
  return Math.max(1, Math.min(Number(watchdogUsec) / 2000, 2 ** 31 - 1));
}

/** Sends in order and never waits; if a queue is full, it sends the message later. */
class Sender {
  readonly #address: string;
  readonly #log: Logger;
  readonly #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWarned = false;

  constructor(address: string, log: Logger) {
    this.#address = address;
    this.#log = log;
  }

  send(message: string): void {
    // One heartbeat in the queue is as good as many.
    if (!this.#waiting.includes(message)) this.#waiting.push(message);
    this.#flush();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    for (let message = this.#waiting[0]; message !== undefined; message = this.#waiting[0]) {
      if (!this.#trySend(message)) {
        this.#timer = setTimeout(() => this.#flush(), RETRY_MS);
        return;
      }
      this.#waiting.shift();
    }
  }

  /**
   * False if it has to be tried again. It logs an invalid socket once: systemd will report the
   * rest.
   */
  #trySend(message: string): boolean {
    try {
      sendDatagram(this.#address, new TextEncoder().encode(message));
      return true;
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      if (error.code === "EAGAIN") return false;
      if (!this.#isWarned) {
        this.#isWarned = true;
        this.#log.warn("NOTIFY_SOCKET: cannot be reached", { reason: error.message });
      }
      return true;
    }
  }
}

/** A line feed would begin another assignment. */
function statusLine(text: string): string {
  return `STATUS=${text.replace(/\p{Cc}/gu, " ")}`;
}
