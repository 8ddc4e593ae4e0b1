import {
  answerWithDescriptor,
  closeDescriptor,
  continueCall,
  type ExecPreparer,
  type LeftOver,
  type Notification,
  pollEvents,
  receiveNotification,
  systemCallTable,
  wakeInTurn,
} from "@svc/kernel";
import type { Runtime } from "../runtime.ts";

const changesOfUser: ReadonlySet<number> = new Set(systemCallTable().changesOfUser);

const MAX_ERRNO = 4095n;

export interface ExecListenerOptions {
  /**
   * The listener of the filter; seccomp_unotify(2). It is closed once no process has the filter.
   */
  readonly fd: number;
  readonly watchReadable: Runtime["watchReadable"];
  /** Handles as many calls as it can before it calls one of the functions below. */
  readonly preparer: ExecPreparer | undefined;
  /** Called with the calls that the preparer leaves over, except for a notification. */
  readonly onLeftOver: (left: LeftOver) => void;
  /** Called before a thread makes an execve. */
  readonly onExec: (tid: number) => void;
  /** Called before a thread changes its user or group. */
  readonly onChangeOfUser: (tid: number) => void;
  /** Called when a thread goes on that makes an execve. */
  readonly onContinued: (tid: number) => void;
  /** The descriptor for a thread whose execve asks for one; undefined if it is an ordinary one. */
  readonly descriptorFor: (tid: number) => number | undefined;
  /** Called when a thread reports an errno, which is negative, by an execve without a path. */
  readonly onRefused: (tid: number, result: number) => void;
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
    const { preparer } = this.#options;
    if (preparer === undefined) this.#poll();
    else this.#prepare(preparer);
  }

  #prepare(preparer: ExecPreparer): void {
    const left = preparer.run();
    if (left === undefined) return;
    this.#options.onLeftOver(left);
    if (left.notification !== undefined) this.#onNotification(left.notification);
    if (left.isClosed) this.#close();
  }

  #poll(): void {
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
    const notification = receiveNotification(this.#options.fd);
    if (notification !== undefined) this.#onNotification(notification);
  }

  #onNotification(notification: Notification): void {
    const { fd, onError, onContinued } = this.#options;
    const isExec = !changesOfUser.has(notification.call);
    if (isExec && notification.first === 0n && this.#answer(notification)) return;
    try {
      this.#announce(notification);
    } catch (error) {
      onError(error);
    }
    continueCall(fd, notification);
    if (isExec) onContinued(notification.tid);
  }

  /** Answers an execve without a path, which no program means; false if it is an ordinary one. */
  #answer(notification: Notification): boolean {
    const { fd, descriptorFor, onRefused } = this.#options;
    const descriptor = descriptorFor(notification.tid);
    if (descriptor !== undefined) {
      answerWithDescriptor(fd, notification, descriptor);
      return true;
    }
    const { tid, second } = notification;
    if (second >= 0n || second < -MAX_ERRNO) return false;
    onRefused(tid, Number(second));
    continueCall(fd, notification);
    return true;
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
