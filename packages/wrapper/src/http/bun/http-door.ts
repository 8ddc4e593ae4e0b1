import { deferAccept, descriptorLimit, setListenBacklog } from "@svc/kernel";
import type { Socket, TCPSocketListener, TLSOptions } from "bun";
import {
  type DoorOptions,
  type DoorTls,
  errorCode,
  type HttpDoor,
  type OpenHttpDoor,
  REQUEST_TIMEOUT_MS,
} from "../http-door.ts";
import type { Client, HttpService } from "../http-service.ts";
import { mostConnections, Visitors } from "../visitors.ts";
import { HttpConnection, type Wire } from "./http-connection.ts";
import { RequestBuffers } from "./request-buffers.ts";

/** How long a client may stay after its answer. */
const LINGER_MS = 2000;
const SWEEP_MS = 500;
/**
 * An idle heap is hardly ever collected, and one in a flood too late: after so many connections the next
 * sweep does it. It takes some milliseconds, in which nobody is let in, and so does not come with each
 * so many: in a flood of 8,000 a second that filled the kernel's queue, and no probe was answered.
 */
const COLLECT_AFTER = 128;
/** So many do not wait for the sweep. */
const COLLECT_AT_ONCE = 1024;

/** Connections that the kernel keeps until they are let in; the runtime's 512 are soon full in a flood. */
const BACKLOG = 4096;
/** A client that says nothing costs nothing here for so long: in HTTP and TLS the client speaks first. */
const DEFER_S = 5;

/** Opens a door of Bun's sockets. */
export const openHttpDoor: OpenHttpDoor = (options) => new BunHttpDoor(options);

/** Most visits in a flood end before they have said anything: those cost no connection. */
class Visit {
  readonly socket: Visitor;
  connection: HttpConnection | undefined;
  endsAtMs: number;

  constructor(socket: Visitor, endsAtMs: number) {
    this.socket = socket;
    this.endsAtMs = endsAtMs;
  }

  get isAnswering(): boolean {
    return this.connection?.isAnswering === true;
  }
}

type Visitor = Socket<Visit | undefined>;

/**
 * An HTTP/1.1 server of one request a connection, bounded in everything that a stranger can make
 * grow: connections, time, bytes (docs/decisions/0014 says why it is not the runtime's).
 */
export class BunHttpDoor implements HttpDoor {
  readonly #service: HttpService;
  readonly #host: string;
  readonly #requestTimeoutMs: number;
  readonly #visitors: Visitors<Visit>;
  readonly #buffers = new RequestBuffers();
  #listener: TCPSocketListener<Visit | undefined>;
  /** Since the last collection. */
  #admitted = 0;
  #wasCrowded = false;
  #sweeper: ReturnType<typeof setInterval> | undefined;
  #asksForCertificates: boolean;

  /** @throws the runtime's error, with a `code` such as `EADDRINUSE`, where it cannot listen. */
  constructor(options: DoorOptions) {
    this.#service = options.service;
    this.#host = options.host;
    const most = mostConnections(descriptorLimit());
    this.#visitors = new Visitors((group) => options.nodeGroups.has(group), most);
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
    for (const { socket } of [...this.#visitors]) this.#drop(socket);
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
    const listener = Bun.listen<Visit | undefined>({
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
        drain: (socket) => socket.data?.connection?.drain(),
        end: (socket) => this.#peerEnds(socket),
        close: (socket) => this.#leave(socket),
        error: (socket) => this.#drop(socket),
      },
    });
    // Bun's types do not know it yet.
    const fd = "fd" in listener ? Number(listener.fd) : -1;
    setListenBacklog(fd, BACKLOG);
    deferAccept(fd, DEFER_S);
    return listener;
  }

  #admit(socket: Visitor): void {
    const visit = new Visit(socket, performance.now() + this.#requestTimeoutMs);
    const entry = this.#visitors.enter(visit, socket.remoteAddress);
    if (entry.kind === "refused") return void socket.terminate();
    if (entry.evicted !== undefined) this.#drop(entry.evicted.socket);
    socket.data = visit;
    this.#admitted += 1;
    if (this.#admitted >= COLLECT_AT_ONCE) this.#collect();
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS);
  }

  #receive(socket: Visitor, bytes: Uint8Array): void {
    const visit = socket.data;
    if (visit === undefined) return;
    visit.connection ??= this.#connect(visit);
    visit.connection.receive(bytes);
  }

  #connect(visit: Visit): HttpConnection {
    const { socket } = visit;
    return new HttpConnection({
      wire: wireOf(socket),
      service: this.#service,
      buffers: this.#buffers,
      client: () => this.#clientOf(socket),
      onWritten: () => {
        visit.endsAtMs = performance.now() + LINGER_MS;
      },
    });
  }

  #clientOf(socket: Visitor): Client {
    const verified = this.#asksForCertificates && socket.authorized;
    return {
      address: socket.remoteAddress,
      certificateName: verified ? commonName(socket) : undefined,
    };
  }

  /** A client that ends before it has said anything has nothing to wait for. */
  #peerEnds(socket: Visitor): void {
    if (socket.data?.connection === undefined) this.#drop(socket);
    else socket.data.connection.peerEnds();
  }

  #sweep(): void {
    const now = performance.now();
    for (const { socket, isAnswering, endsAtMs } of [...this.#visitors]) {
      if (!isAnswering && now >= endsAtMs) this.#drop(socket);
    }
    if (this.#admitted >= COLLECT_AFTER) this.#collect();
  }

  #collect(): void {
    this.#admitted = 0;
    this.#wasCrowded = true;
    Bun.gc(true);
  }

  #drop(visitor: Visitor): void {
    const answered = visitor.data?.connection?.isAnswered === true;
    this.#leave(visitor);
    // Who is not answered gets a reset, which frees all at once; an answer on its way still arrives.
    if (answered) visitor.end();
    else visitor.terminate();
  }

  #leave(visitor: Visitor): void {
    const visit = visitor.data;
    // It was refused, or has left before.
    if (visit === undefined) return;
    visitor.data = undefined;
    visit.connection?.forget();
    this.#visitors.leave(visit);
    if (this.#visitors.size > 0) return;
    // No timer while nobody is there: an idle wrapper does not wake up.
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
    this.#buffers.release();
    if (!this.#wasCrowded && this.#admitted < COLLECT_AFTER) return;
    this.#wasCrowded = false;
    this.#admitted = 0;
    Bun.gc(true);
    Bun.shrink();
  }
}

function wireOf(socket: Visitor): Wire {
  return {
    write: (bytes) => socket.write(bytes),
    shutdown: () => socket.shutdown(),
    close: () => void socket.end(),
  };
}

function tlsOptions({ certificate, key, clientCa }: DoorTls): TLSOptions {
  // The runtime takes an empty text for "none".
  const own: TLSOptions = { cert: certificate, key: key.open([]) || "not a key" };
  return clientCa === undefined
    ? own
    : { ...own, ca: clientCa, requestCert: true, rejectUnauthorized: false };
}

/** A verified certificate has a subject; without a common name its holder stays unnamed. */
function commonName(socket: Visitor): string {
  return String(socket.getPeerCertificate()?.subject?.CN ?? "");
}
