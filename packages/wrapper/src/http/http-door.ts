import type { Socket, TCPSocketListener, TLSOptions } from "bun";
import { HttpConnection, type Wire } from "./http-connection.ts";
import type { Client, HttpService } from "./http-service.ts";
import { RequestBuffers } from "./request-buffers.ts";

/** Most connections at a time. One more closes the oldest that is not being answered. */
export const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 10_000;
/** How long a client may stay after its answer. */
const LINGER_MS = 2000;
const SWEEP_MS = 500;
/**
 * An idle heap is hardly ever collected, and one in a flood too late: after so many connections it is
 * done here, which takes a few milliseconds.
 */
const COLLECT_EVERY = 128;

/** Where a door stands. */
export interface DoorOptions {
  /** Empty for every address of the machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly tls?: DoorTls;
  readonly service: HttpService;
  /** How long a connection may take until its request is there; 10 s unless told. */
  readonly requestTimeoutMs?: number;
}

/** PEM texts. With a client CA every client is asked for a certificate, and none is turned away. */
export interface DoorTls {
  readonly certificate: string;
  readonly key: string;
  readonly clientCa?: string;
}

interface Visit {
  readonly connection: HttpConnection;
  endsAtMs: number;
}

type Visitor = Socket<Visit | undefined>;

/**
 * An HTTP/1.1 server of one request a connection, bounded in everything that a stranger can make
 * grow: connections, time, bytes (docs/decisions/0014 says why it is not the runtime's).
 */
export class HttpDoor {
  readonly #service: HttpService;
  readonly #host: string;
  readonly #requestTimeoutMs: number;
  readonly #visitors = new Set<Visitor>();
  readonly #buffers = new RequestBuffers();
  #listener: TCPSocketListener<Visit | undefined>;
  #admitted = 0;
  #sweeper: ReturnType<typeof setInterval> | undefined;
  #asksForCertificates: boolean;

  /** @throws the runtime's error, with a `code` such as `EADDRINUSE`, where it cannot listen. */
  constructor(options: DoorOptions) {
    this.#service = options.service;
    this.#host = options.host;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#asksForCertificates = options.tls?.clientCa !== undefined;
    this.#listener = this.#listen(options.port, options.tls);
  }

  get address(): string {
    return this.#listener.hostname;
  }

  get port(): number {
    return this.#listener.port;
  }

  /**
   * Serves new connections with another certificate; those that are open keep theirs.
   *
   * The port is closed for less than a millisecond: what arrives in it is refused or reset.
   * @throws the runtime's error for a pair that does not fit; the door then stands as before.
   */
  changeTls(tls: DoorTls, former: DoorTls): void {
    const { port } = this.#listener;
    this.#listener.stop(false);
    try {
      this.#listener = this.#listen(port, tls);
      this.#asksForCertificates = tls.clientCa !== undefined;
    } catch (error) {
      this.#listener = this.#listen(port, former);
      throw error;
    }
  }

  /** Lets nobody in any more; who is inside gets an answer. */
  close(): void {
    this.#listener.stop(false);
  }

  /** Closes everything at once. */
  stop(): void {
    this.#listener.stop(true);
    for (const visitor of [...this.#visitors]) this.#drop(visitor);
  }

  #listen(port: number, tls: DoorTls | undefined): TCPSocketListener<Visit | undefined> {
    const at = (hostname: string) => this.#listenAt(hostname, port, tls);
    if (this.#host !== "") return at(this.#host);
    try {
      return at("::");
    } catch (error) {
      // A kernel without IPv6; whatever else is wrong fails again with the right error.
      if (errorCode(error) === "EADDRINUSE") throw error;
      return at("0.0.0.0");
    }
  }

  #listenAt(hostname: string, port: number, tls: DoorTls | undefined) {
    return Bun.listen<Visit | undefined>({
      hostname,
      port,
      // Nobody else may listen here too and be handed a token in our place (SO_REUSEPORT).
      exclusive: true,
      // A client may close its side after its request; the answer still goes out.
      allowHalfOpen: true,
      ...(tls === undefined ? {} : { tls: tlsOptions(tls) }),
      socket: {
        open: (socket) => this.#admit(socket),
        // With this handler `open` comes before the handshake, so that who never shakes hands is counted.
        handshake: () => undefined,
        data: (socket, bytes) => this.#receive(socket, bytes),
        drain: (socket) => socket.data?.connection.drain(),
        end: (socket) => socket.data?.connection.peerEnds(),
        close: (socket) => this.#leave(socket),
        error: (socket) => this.#drop(socket),
      },
    });
  }

  #admit(socket: Visitor): void {
    if (this.#visitors.size >= MAX_CONNECTIONS) this.#dropOldest();
    const visit: Visit = {
      endsAtMs: performance.now() + this.#requestTimeoutMs,
      connection: new HttpConnection({
        wire: wireOf(socket),
        service: this.#service,
        buffers: this.#buffers,
        client: () => this.#clientOf(socket),
        onWritten: () => {
          visit.endsAtMs = performance.now() + LINGER_MS;
        },
      }),
    };
    socket.data = visit;
    this.#visitors.add(socket);
    this.#admitted += 1;
    if (this.#admitted % COLLECT_EVERY === 0) Bun.gc(true);
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS);
  }

  #receive(socket: Visitor, bytes: Uint8Array): void {
    socket.data?.connection.receive(bytes);
  }

  #clientOf(socket: Visitor): Client {
    const verified = this.#asksForCertificates && socket.authorized;
    return {
      address: socket.remoteAddress,
      certificateName: verified ? commonName(socket) : undefined,
    };
  }

  #dropOldest(): void {
    for (const visitor of this.#visitors) {
      if (visitor.data?.connection.isAnswering) continue;
      this.#drop(visitor);
      return;
    }
  }

  #sweep(): void {
    const now = performance.now();
    for (const visitor of [...this.#visitors]) {
      const visit = visitor.data;
      if (visit === undefined || visit.connection.isAnswering) continue;
      if (now >= visit.endsAtMs) this.#drop(visitor);
    }
  }

  #drop(visitor: Visitor): void {
    const answered = visitor.data?.connection.isAnswered === true;
    this.#leave(visitor);
    // Who is not answered gets a reset, which frees all at once; an answer on its way still arrives.
    if (answered) visitor.end();
    else visitor.terminate();
  }

  #leave(visitor: Visitor): void {
    visitor.data?.connection.forget();
    this.#visitors.delete(visitor);
    if (this.#visitors.size > 0) return;
    // No timer while nobody is there: an idle wrapper does not wake up.
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
    this.#buffers.release();
    if (this.#admitted < COLLECT_EVERY) return;
    this.#admitted = 0;
    Bun.gc(true);
    Bun.shrink();
  }
}

/** The code of an error of the runtime, or its text. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

function wireOf(socket: Visitor): Wire {
  return {
    write: (bytes) => socket.write(bytes),
    shutdown: () => socket.shutdown(),
    close: () => void socket.end(),
  };
}

function tlsOptions({ certificate, key, clientCa }: DoorTls): TLSOptions {
  const own: TLSOptions = { cert: certificate, key };
  return clientCa === undefined
    ? own
    : { ...own, ca: clientCa, requestCert: true, rejectUnauthorized: false };
}

/** A verified certificate has a subject; without a common name its holder stays unnamed. */
function commonName(socket: Visitor): string {
  return String(socket.getPeerCertificate()?.subject?.CN ?? "");
}
