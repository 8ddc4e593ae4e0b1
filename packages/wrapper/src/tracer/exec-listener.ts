import {
  answerWithDescriptor,
  closeDescriptor,
  continueCall,
  type Notification,
  pollEvents,
  receiveNotification,
  systemCallTable,
  wakeInTurn,
} from "@svc/kernel";
import type { Runtime } from "../runtime.ts";

const changesOfUser: ReadonlySet<number> = new Set(systemCallTable().changesOfUser);

export interface ExecListenerOptions {
  /** The listener of the filter; seccomp_unotify(2). It is closed once no process has the filter. */
  readonly fd: number;
  readonly watchReadable: Runtime["watchReadable"];
  /** Called before a thread makes an execve. */
  readonly onExec: (tid: number) => void;
  /** Called before a thread changes its user or group. */
  readonly onChangeOfUser: (tid: number) => void;
  /** Called when a thread goes on that makes an execve. */
  readonly onContinued: (tid: number) => void;
  /** The descriptor for a thread whose execve asks for one; undefined where it is an ordinary one. */
  readonly descriptorFor: (tid: number) => number | undefined;
  readonly onError: (error: unknown) => void;
  /** Called once no process has the filter any more. */
  readonly onClosed: () => void;
}

/** Hears of every execve of the program and all that it starts, before it happens. */
export class ExecListener {
  readonly #options: ExecListenerOptions;
  readonly #watch: Disposable;

  constructor(options: ExecListenerOptions) {
    this.#options = options;
    wakeInTurn(options.fd);
    this.#watch = options.watchReadable(options.fd, () => this.#onNews());
  }

  #onNews(): void {
    switch (pollEvents(this.#options.fd)) {
      case "none":
        return;
      case "ended":
        this.#close();
        return;
      case "readable":
        this.#take();
    }
  }

  /** Takes one notification if it comes in time. */
  takeSoon(limitMs: number): void {
    if (pollEvents(this.#options.fd, limitMs) === "readable") this.#take();
  }

  #take(): void {
    const { fd, onError, onContinued } = this.#options;
    const notification = receiveNotification(fd);
    if (notification === undefined) return;
    const descriptor = this.#options.descriptorFor(notification.tid);
    if (descriptor !== undefined && notification.first === 0n) {
      answerWithDescriptor(fd, notification, descriptor);
      return;
    }
    try {
      this.#announce(notification);
    } catch (error) {
      onError(error);
    }
    continueCall(fd, notification);
    if (!changesOfUser.has(notification.call)) onContinued(notification.tid);
  }

  #close(): void {
    this.#watch[Symbol.dispose]();
    closeDescriptor(this.#options.fd);
    this.#options.onClosed();
  }

  #announce({ tid, call }: Notification): void {
    if (changesOfUser.has(call)) this.#options.onChangeOfUser(tid);
    else this.#options.onExec(tid);
  }
}
