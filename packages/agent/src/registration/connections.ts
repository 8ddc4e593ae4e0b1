import type { IncomingMessage } from "node:http";
import type { Http2Server, Http2ServerRequest, Http2Session, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Caller } from "./caller.ts";

/** The group under which a connection was admitted. */
export interface Admitted {
  /** The caller for one stream, which owns its descriptors and may outlive the connection. */
  readonly open: () => Caller;
  /** Called when the wrapper has said Hello, and may register. */
  readonly greeted: () => void;
  /** Called once, at the connection's end. */
  readonly leave: () => void;
}

/** Time to send a Hello: a peer that only connects must not keep a place. */
const SILENCE_MS = 10_000;
/** Time for a peer to take the end of its stream. */
const GOODBYE_MS = 10_000;
// Those that are on their way to being admitted among them.
const MOST_SOCKETS = 8192;

/**
 * The connections of a server. It looks up the caller of each once, when it comes. One stream each.
 */
export class Connections {
  readonly #known = new WeakMap<Http2Session, KnownConnection>();
  readonly #open = new Set<ServerHttp2Session>();
  readonly #sockets = new Set<Socket>();
  readonly #socketOf = new WeakMap<Http2Session, Socket>();
  readonly #silenceMs: number;
  #latest: ServerHttp2Session | undefined;

  /** @param admit undefined turns it away */
  constructor(
    server: Http2Server,
    admit: (session: ServerHttp2Session) => Admitted | undefined,
    silenceMs = SILENCE_MS,
  ) {
    this.#silenceMs = silenceMs;
    for (const event of ["connection", "secureConnection"]) {
      server.on(event, (socket: Socket) => this.#add(socket));
    }
    server.on("session", (session) => this.#take(session, admit));
    // A peer that has gone: the connection is over, which "close" says.
    server.on("sessionError", ignore);
    server.on("error", ignore);
  }

  /** Opens the caller of a request's connection, only for the first stream on it. */
  callerOf(request: IncomingMessage | Http2ServerRequest): CallerOpener | undefined {
    const session = "stream" in request ? request.stream.session : undefined;
    const known = session && this.#known.get(session);
    if (session === undefined || known === undefined) return undefined;
    known.streams += 1;
    if (known.streams > 1) return undefined;
    // Another connection has its place then.
    if ("stream" in request) request.stream.once("close", () => this.#leave(session));
    return {
      open: () => (known.isOpen ? known.open() : undefined),
      greeted: () => {
        known.isGreeted = true;
        known.greeted();
      },
    };
  }

  /** Ends all of them; also if the peer has stopped and takes no goodbye. */
  end(): void {
    for (const session of this.#open) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A session is announced right before its socket. */
  #add(socket: Socket): void {
    const session = this.#latest;
    this.#latest = undefined;
    this.#sockets.add(socket);
    if (session !== undefined) this.#socketOf.set(session, socket);
    socket.once("close", () => this.#sockets.delete(socket));
    if (session?.destroyed === true || this.#sockets.size > MOST_SOCKETS) socket.destroy();
  }

  #leave(session: Http2Session): void {
    session.close();
    const timer = setTimeout(() => this.#drop(session), GOODBYE_MS);
    session.once("close", () => clearTimeout(timer));
  }

  /** Destroying a session says goodbye first, for which a peer that has stopped never has room. */
  #drop(session: Http2Session): void {
    session.destroy();
    this.#socketOf.get(session)?.destroy();
  }

  #take(
    session: ServerHttp2Session,
    admit: (session: ServerHttp2Session) => Admitted | undefined,
  ): void {
    // Garbage instead of HTTP/2.
    session.on("error", () => this.#drop(session));
    this.#latest = session;
    const admitted = attempt(() => admit(session));
    if (admitted === undefined) {
      session.destroy();
      return;
    }
    const known: KnownConnection = { ...admitted, streams: 0, isOpen: true, isGreeted: false };
    this.#known.set(session, known);
    this.#open.add(session);
    const silence = setTimeout(() => {
      if (!known.isGreeted) this.#drop(session);
    }, this.#silenceMs);
    session.once("close", () => {
      clearTimeout(silence);
      this.#open.delete(session);
      known.isOpen = false;
      admitted.leave();
    });
  }
}

/** A socket that is gone already throws at every question; no peer may end the agent by that. */
function attempt<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

/** The inputs of a request's stream. */
export interface CallerOpener {
  /** Undefined if the connection is over. */
  readonly open: () => Caller | undefined;
  readonly greeted: () => void;
}

interface KnownConnection extends Pick<Admitted, "open" | "greeted"> {
  streams: number;
  isOpen: boolean;
  isGreeted: boolean;
}

const ignore = (): void => undefined;
