import type { Log } from "@svc/logging";
import type { SocketListener } from "../registration/open-listener.ts";
import type { Reporter } from "./reporter.ts";

/** A wrapper that starts meanwhile finds no agent, or a false one. */
const INTERVAL_MS = 500;

/**
 * Looks again and again whether wrappers that connect by the sockets' paths reach this agent, and
 * reports it when that changes.
 */
export class SocketWatch {
  readonly #parts: Parts;
  readonly #lost = new Set<WatchedSocket>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(parts: Parts, intervalMs = INTERVAL_MS) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), intervalMs);
  }

  /** The paths of sockets by which wrappers do not reach the agent. */
  lost(): readonly string[] {
    return [...this.#lost].map(({ path }) => path);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const socket of this.#parts.sockets) {
      const place = socket.place();
      if (this.#lost.has(socket) === (place !== "own")) continue;
      if (place === "own") this.#lost.delete(socket);
      else this.#lost.add(socket);
      this.#tell(socket.path, place);
    }
  }

  #tell(path: string, place: ReturnType<WatchedSocket["place"]>): void {
    const { reporter, log } = this.#parts;
    if (place === "own") {
      reporter.reportOwn("agent_socket_restored", { path });
      log("info", "wrappers reach the agent at its socket again", { path });
      return;
    }
    reporter.reportOwn("agent_socket_lost", { path, found: place });
    log("error", "wrappers do not reach the agent: its socket is not at its path any more", {
      ...{ path, found: place },
      hint: "look for the process that has moved or replaced it, and restart the agent",
    });
  }
}

type WatchedSocket = Pick<SocketListener, "path" | "place">;

interface Parts {
  readonly sockets: readonly WatchedSocket[];
  readonly reporter: Pick<Reporter, "reportOwn">;
  readonly log: Log;
}
