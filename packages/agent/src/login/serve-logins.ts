import type { Socket } from "node:net";
import { closeDescriptor } from "@svc/kernel";
import type { Log } from "@svc/logging";
import { Admission } from "../registration/admission.ts";
import type { Caller, LocalCaller } from "../registration/caller.ts";
import type { Admitted } from "../registration/connections.ts";
import { openListener } from "../registration/open-listener.ts";
import { RateLimit } from "../registration/rate-limit.ts";
import { SocketGate } from "../registration/socket-gate.ts";
import { lookAtCaller } from "./look-at-caller.ts";
import type { PodTokens } from "./pod-tokens.ts";

/** A process that was refused a token. */
export interface RefusedLogin {
  readonly reason: string;
  readonly pid: number;
  readonly uid: number;
  readonly podUid?: string;
  readonly containerId?: string;
}

export interface LoginOptions {
  /** Where wrappers connect. */
  readonly path: string;
  /** The kubelet's folder, in which pods have volumes with the wrapper. */
  readonly kubelet: string;
  readonly tokens: Pick<PodTokens, "tokenOf">;
  readonly log: Log;
  /** Reports a refusal in the audit trail. */
  readonly onRefused: (refused: RefusedLogin) => void;
}

/** A courier that fetches secrets asks at once; one that has a token of the vault may never ask. */
const IDLE_MS = 600_000;
/** Refusals that are reported: a process may ask again and again. */
const TOLD = { burst: 20, perSecond: 1 };
/** Pods alone have tokens. */
const NO_RULES = { users: [], units: [] };

/**
 * Gives service account tokens to wrappers: a wrapper connects, sends a byte, and gets its pod's
 * token and the end of the connection. Every other process gets the end alone.
 *
 * @returns ends it.
 * @throws AgentError `SOCKET_UNUSABLE`
 */
export async function serveLogins(options: LoginOptions): Promise<() => void> {
  const { path, log } = options;
  const listener = await openListener(path);
  const desk = new LoginDesk(options);
  const sockets = new Set<Socket>();
  const gate = new SocketGate({
    ...{ listener: listener.fd, admission: new Admission(), rules: NO_RULES, log },
    onCome: (socket) => {
      const admitted = gate.admittedAs(socket);
      if (admitted === undefined) return;
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      desk.serve(socket, admitted);
    },
  });
  return () => {
    gate.close();
    for (const socket of sockets) socket.destroy();
    listener.removeFile();
  };
}

/** Serves one connection after the other. */
class LoginDesk {
  readonly #options: LoginOptions;
  readonly #told = new RateLimit(TOLD);

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** A process that gets no token keeps no place. */
  serve(socket: Socket, admitted: Admitted): void {
    const idle = setTimeout(() => socket.destroy(), IDLE_MS).unref();
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      clearTimeout(idle);
      admitted.leave();
    });
    if (!this.#with(admitted, (caller) => this.#isWrapper(caller))) {
      socket.destroy();
      return;
    }
    socket.once("data", () => {
      admitted.greeted();
      // Since it connected it may have executed another program.
      socket.end(this.#with(admitted, (caller) => this.#tokenFor(caller)) ?? "");
    });
  }

  #with<T>(admitted: Admitted, ask: (caller: LocalCaller) => T): T | undefined {
    const caller = admitted.open();
    if (!isLocal(caller)) return undefined;
    try {
      return ask(caller);
    } finally {
      closeDescriptor(caller.pidfd);
    }
  }

  #tokenFor(caller: LocalCaller): string | undefined {
    if (!this.#isWrapper(caller)) return undefined;
    const { podUid, containerId } = caller;
    const { tokens, log } = this.#options;
    const token = tokens.tokenOf(podUid ?? "", Date.now());
    if (token !== undefined) log("info", "a wrapper gets its pod's token", { podUid, containerId });
    else log("warn", "the kubelet has given no token for a wrapper yet", { podUid, containerId });
    return token;
  }

  #isWrapper(caller: LocalCaller): boolean {
    const { kubelet, log, onRefused } = this.#options;
    const found = lookAtCaller(caller, kubelet);
    if (found.kind !== "refused") return found.kind === "wrapper";
    if (!this.#told.take()) return false;
    const { podUid, containerId, uid, process } = caller;
    const pod = { ...(podUid && { podUid }), ...(containerId && { containerId }) };
    const { reason } = found;
    log("warn", "a process gets no token", { ...pod, pid: process.pid, uid, found: reason });
    onRefused({ reason, pid: process.pid, uid, ...pod });
    return false;
  }
}

function isLocal(caller: Caller): caller is LocalCaller {
  return caller.by === "socket";
}
