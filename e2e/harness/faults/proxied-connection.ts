import type { Socket } from "bun";
import type { RequestFault } from "./request-fault.ts";

/** The functions of the proxy that a connection calls. */
export interface ProxySurroundings {
  readonly vaultPort: () => number;
  readonly faultOf: (line: string) => RequestFault | undefined;
  readonly onAnswer?: (bytes: Buffer) => void;
  /** To be waited for before a byte goes on. */
  readonly passes: () => Promise<void> | undefined;
  readonly onEnd: (connection: ProxiedConnection) => void;
}

const PIECE_BYTES = 48;
// Clients do not pipeline, and their heads are short: a request begins at the beginning of a chunk.
const requestStart = /^(?:GET|POST|PUT|LIST|DELETE) \//;

/** One client's connection, and the one to the vault that it leads to. */
export class ProxiedConnection {
  readonly #client: Socket<ProxiedConnection>;
  readonly #around: ProxySurroundings;
  #vault: Promise<Socket<undefined>> | undefined;
  #fault: RequestFault | undefined;
  #ended = false;
  /** What happens on this connection happens in order. */
  #toVault: Promise<void> = Promise.resolve();
  #toClient: Promise<void> = Promise.resolve();

  constructor(client: Socket<ProxiedConnection>, around: ProxySurroundings) {
    this.#client = client;
    this.#around = around;
  }

  /** A request, or the rest of one. */
  onRequestBytes(bytes: Buffer): void {
    const [line = ""] = bytes.toString("latin1").split("\r\n", 1);
    if (requestStart.test(line)) {
      this.#fault = this.#around.faultOf(line);
      if (this.#fault?.kind === "status") this.#answerWith(this.#fault);
    }
    switch (this.#fault?.kind) {
      case "reset before the request":
        this.reset();
        break;
      case "status":
      case "black hole":
        break;
      default:
        this.#forward(bytes);
    }
  }

  /** Ends both sides in the way that a crash of the other side looks like. */
  reset(): void {
    if (this.#ended) return;
    this.#client.terminate();
    this.end();
  }

  /** The client has gone. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#client.end();
    void this.#vault?.then((socket) => socket.terminate()).catch(() => undefined);
    this.#around.onEnd(this);
  }

  #forward(bytes: Buffer): void {
    this.#vault ??= this.#connect();
    const vault = this.#vault;
    this.#toVault = this.#toVault
      .then(() => this.#around.passes())
      .then(async () => void (await vault).write(bytes))
      .catch(() => this.reset());
  }

  #connect(): Promise<Socket<undefined>> {
    return Bun.connect({
      hostname: "127.0.0.1",
      port: this.#around.vaultPort(),
      socket: {
        data: (_, bytes) => this.#onAnswerBytes(Buffer.from(bytes)),
        close: () => void this.#toClient.then(() => this.end()),
        error: () => this.reset(),
        connectError: () => this.reset(),
      },
    });
  }

  #onAnswerBytes(bytes: Buffer): void {
    this.#around.onAnswer?.(bytes);
    this.#toClient = this.#toClient
      .then(() => this.#around.passes())
      .then(() => this.#pass(bytes))
      .catch(() => this.reset());
  }

  async #pass(bytes: Buffer): Promise<void> {
    const fault = this.#fault;
    switch (fault?.kind) {
      case "latency":
        await Bun.sleep(fault.ms);
        this.#write(bytes);
        break;
      case "reset after the request":
        this.reset();
        break;
      case "reset in the answer":
        this.#write(bytes.subarray(0, bytes.length / 2));
        this.reset();
        break;
      case "truncated body":
        this.#write(bytes.subarray(0, bytes.length - 5));
        this.end();
        break;
      case "slow bytes":
        await this.#passSlowly(bytes, fault.pauseMs);
        break;
      default:
        this.#write(bytes);
    }
  }

  async #passSlowly(bytes: Buffer, pauseMs: number): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#write(bytes.subarray(at, at + PIECE_BYTES));
      await Bun.sleep(pauseMs);
    }
  }

  /** As OpenBao words it; a load balancer in front of it would not say it in JSON. */
  #answerWith({ status, retryAfterS }: Extract<RequestFault, { kind: "status" }>): void {
    const body = '{"errors":["made by the test"]}\n';
    const again = retryAfterS === undefined ? "" : `Retry-After: ${retryAfterS}\r\n`;
    this.#write(
      Buffer.from(
        `HTTP/1.1 ${status} Fault\r\n${again}Content-Length: ${body.length}\r\n\r\n${body}`,
      ),
    );
  }

  /** Answers are far smaller than a socket's buffer: nothing is left to be written later. */
  #write(bytes: Buffer): void {
    if (this.#ended) return;
    this.#client.write(bytes);
    this.#client.flush();
  }
}
