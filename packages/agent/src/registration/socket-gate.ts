import { connect, type Socket } from "node:net";
import {
  acceptConnection,
  closeDescriptor,
  duplicateFrom,
  ReadableWait,
  SyscallError,
} from "@svc/kernel";
import { type Log, pause } from "@svc/logging";
import { AgentError } from "../agent-error.ts";
import type { Admission } from "./admission.ts";
import type { RegistrationRules } from "./authority.ts";
import { groupOf, identifyCaller } from "./caller.ts";
import type { Admitted } from "./connections.ts";
import { descriptorOf } from "./socket-descriptor.ts";

/** The inputs of a gate. */
export interface GateOptions {
  /** The descriptor of the listening socket; the gate owns it. */
  readonly listener: number;
  readonly admission: Admission;
  readonly rules: RegistrationRules;
  readonly log: Log;
  /** Takes a connection that has room. */
  readonly onCome: (socket: Socket) => void;
}

/**
 * A flood is turned away in portions: the runtime's own server accepts until no connection waits,
 * and a flood would make it do nothing else.
 */
const MOST_AT_ONCE = 32;
const BUSY_MS = 2;
const WITHOUT_DESCRIPTORS_MS = 100;
const FIRST_FD = 3;

/**
 * Accepts connections of a unix socket, a portion at a time. It asks the kernel for the owner of
 * each, and closes those without
 * room, before anything is made for it.
 */
export class SocketGate {
  readonly #options: GateOptions;
  readonly #arrivals = new Map<number, Admitted>();
  readonly #end = new AbortController();

  constructor(options: GateOptions) {
    this.#options = options;
    // It ends when the gate is closed.
    void this.#acceptAll();
  }

  /** The group under which a connection was admitted, once. */
  admittedAs(socket: object): Admitted | undefined {
    const fd = descriptorOf(socket);
    const admitted = this.#arrivals.get(fd);
    this.#arrivals.delete(fd);
    return admitted;
  }

  close(): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    closeDescriptor(this.#options.listener);
  }

  async #acceptAll(): Promise<void> {
    const { signal } = this.#end;
    using arrivals = new ReadableWait([this.#options.listener]);
    while (!signal.aborted) {
      await arrivals.untilReadable(signal);
      if (signal.aborted) return;
      await pause(this.#portion(), signal);
    }
  }

  /** Returns how long to leave alone those that wait. */
  #portion(): number {
    const { listener, log } = this.#options;
    try {
      for (let count = 0; count < MOST_AT_ONCE; count += 1) {
        const fd = acceptConnection(listener);
        if (fd === undefined) return 0;
        this.#take(fd);
      }
      return BUSY_MS;
    } catch (error) {
      if (!(error instanceof SyscallError)) throw error;
      log("warn", `accept a registration: ${error.message}`, { code: "REGISTRATION_FAILED" });
      return WITHOUT_DESCRIPTORS_MS;
    }
  }

  #take(fd: number): void {
    const admitted = this.#admit(fd);
    if (admitted === undefined) {
      closeDescriptor(fd);
      return;
    }
    this.#arrivals.set(fd, admitted);
    // The runtime takes the descriptor over; its types do not know that.
    const socket = connect({ fd } as never);
    this.#options.onCome(socket);
    if (!this.#arrivals.delete(fd)) return;
    admitted.leave();
    socket.destroy();
  }

  #admit(fd: number): Admitted | undefined {
    const { admission, rules, log } = this.#options;
    let leave: (() => void) | undefined;
    try {
      const group = groupOf(fd, rules);
      const place = group && admission.enter(group);
      if (place === undefined) return undefined;
      leave = place.leave;
      const caller = identifyCaller(fd, rules);
      return {
        open: () => ({ ...caller, pidfd: duplicateFrom(caller.pidfd, FIRST_FD) }),
        greeted: place.greeted,
        leave: () => {
          place.leave();
          closeDescriptor(caller.pidfd);
        },
      };
    } catch (error) {
      leave?.();
      const message = error instanceof Error ? error.message : "identify the caller: failed";
      const code = error instanceof AgentError ? error.code : "REGISTRATION_FAILED";
      log("warn", message, { code });
      return undefined;
    }
  }
}
