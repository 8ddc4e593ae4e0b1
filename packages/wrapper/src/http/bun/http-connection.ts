import { secretBytesFrom } from "@svc/secret-bytes";
import { type HttpAnswer, internalError, refusalAnswer } from "../http-answer.ts";
import type { Client, HttpService } from "../http-service.ts";
import { encodeAnswer } from "./encode-answer.ts";
import {
  MAX_BODY_BYTES,
  MAX_HEAD_BYTES,
  REQUEST_BYTES,
  type RequestBuffers,
} from "./request-buffers.ts";
import { type ReadHead, readRequestHead } from "./request-head.ts";

const CONTINUE = new TextEncoder().encode("HTTP/1.1 100 Continue\r\n\r\n");

/** What a connection needs of its socket. */
export interface Wire {
  /** Returns how many bytes went out; negative where the other end has gone. */
  readonly write: (bytes: Uint8Array) => number;
  /** Says that nothing follows, and goes on listening. */
  readonly shutdown: () => void;
  readonly close: () => void;
}

type Phase =
  | { readonly kind: "reading the head" }
  | { readonly kind: "reading the body"; readonly head: ReadHead; readonly bodyAt: number }
  | { readonly kind: "answering" }
  | { readonly kind: "writing"; readonly rest: Uint8Array }
  /**
   * All is said. What the client still sends is read and dropped: a socket closed with unread bytes
   * makes the kernel send a reset, which may destroy the answer (RFC 9112 section 9.6).
   */
  | { readonly kind: "lingering" };

/** One connection with its one request. */
export class HttpConnection {
  readonly #wire: Wire;
  readonly #service: HttpService;
  readonly #buffers: RequestBuffers;
  readonly #client: () => Client;
  readonly #onWritten: () => void;
  #phase: Phase = { kind: "reading the head" };
  #buffer: Uint8Array | undefined;
  #length = 0;
  #peerEnded = false;
  #onGone: (() => void) | undefined;

  constructor(options: {
    readonly wire: Wire;
    readonly service: HttpService;
    readonly buffers: RequestBuffers;
    readonly client: () => Client;
    /** Called when the whole answer is in the kernel's hands. */
    readonly onWritten: () => void;
  }) {
    this.#wire = options.wire;
    this.#service = options.service;
    this.#buffers = options.buffers;
    this.#client = options.client;
    this.#onWritten = options.onWritten;
  }

  /** True while a request that came in whole waits for its answer. */
  get isAnswering(): boolean {
    return this.#phase.kind === "answering";
  }

  /** True once the whole answer is in the kernel's hands. */
  get isAnswered(): boolean {
    return this.#phase.kind === "lingering";
  }

  /** Takes bytes from the socket and wipes them. */
  receive(bytes: Uint8Array): void {
    if (this.#phase.kind === "reading the head") {
      const searchFrom = Math.max(0, this.#length - 3);
      const buffer = this.#keep(bytes.subarray(0, REQUEST_BYTES - this.#length));
      this.#readHead(buffer, searchFrom);
    } else if (this.#phase.kind === "reading the body") {
      const { head, bodyAt } = this.#phase;
      const rest = bodyAt + head.bodyLength - this.#length;
      this.#readBody(this.#keep(bytes.subarray(0, rest)), head, bodyAt);
    }
    bytes.fill(0);
  }

  /** The client has said all it will say. */
  peerEnds(): void {
    this.#peerEnded = true;
    const { kind } = this.#phase;
    if (kind !== "answering" && kind !== "writing") this.#wire.close();
  }

  /** The socket takes bytes again. */
  drain(): void {
    if (this.#phase.kind === "writing") this.#write(this.#phase.rest);
  }

  /** Wipes what is left of the request; the socket is gone or soon will be. */
  forget(): void {
    this.#wipe();
    this.#phase = { kind: "lingering" };
    this.#onGone?.();
    this.#onGone = undefined;
  }

  #keep(bytes: Uint8Array): Uint8Array {
    this.#buffer ??= this.#buffers.take();
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this.#buffer;
  }

  /** A body that is being looked at is not given to others; it is wiped where it is. */
  #wipe(): void {
    if (this.#buffer === undefined) return;
    if (this.#phase.kind === "answering") this.#buffer.fill(0);
    else this.#buffers.giveBack(this.#buffer);
    this.#buffer = undefined;
  }

  #readHead(buffer: Uint8Array, searchFrom: number): void {
    const end = endOfHead(buffer, searchFrom, Math.min(this.#length, MAX_HEAD_BYTES));
    if (end === undefined) {
      if (this.#length >= MAX_HEAD_BYTES) {
        const message = `the request's head is longer than ${MAX_HEAD_BYTES} bytes`;
        this.#answer(refusalAnswer(431, "HEADERS_TOO_LARGE", message));
      }
      return;
    }
    const reading = readRequestHead(buffer.subarray(0, end));
    if (reading.kind === "head") {
      this.#begin(buffer, reading.head, end + 4);
      return;
    }
    const { status, code, message } = reading.refusal;
    this.#answer(refusalAnswer(status, code, message));
  }

  #begin(buffer: Uint8Array, head: ReadHead, bodyAt: number): void {
    const answer = this.#answerHead(head);
    if (answer !== undefined) {
      this.#answer(answer, head.method === "HEAD");
      return;
    }
    if (head.waitsForContinue && this.#length === bodyAt) this.#wire.write(CONTINUE);
    this.#phase = { kind: "reading the body", head, bodyAt };
    this.#readBody(buffer, head, bodyAt);
  }

  #readBody(buffer: Uint8Array, head: ReadHead, bodyAt: number): void {
    const end = bodyAt + head.bodyLength;
    if (this.#length < end) return;
    this.#phase = { kind: "answering" };
    const body = secretBytesFrom(buffer.subarray(bodyAt, end));
    buffer.fill(0, bodyAt, end);
    void this.#service
      .answerBody(head, body, this.#client())
      .catch(() => internalError())
      .then((answer) => this.#answer(answer));
  }

  #answerHead(head: ReadHead): HttpAnswer | undefined {
    try {
      const answer = this.#service.answerHead(head, this.#client());
      if (answer !== undefined || head.bodyLength <= MAX_BODY_BYTES) return answer;
      const message = `the body has ${head.bodyLength} bytes: at most ${MAX_BODY_BYTES}`;
      return refusalAnswer(413, "BODY_TOO_LARGE", message);
    } catch {
      // Its text may quote what it choked on.
      return internalError();
    }
  }

  #answer(answer: HttpAnswer, forHead = false): void {
    this.#wipe();
    if (this.#phase.kind === "lingering") {
      // The client left while its answer was looked for.
      answer.onGone?.();
      return;
    }
    this.#onGone = answer.onGone;
    this.#write(encodeAnswer(answer, forHead));
  }

  #write(bytes: Uint8Array): void {
    const written = this.#wire.write(bytes);
    if (written >= 0 && written < bytes.length) {
      this.#phase = { kind: "writing", rest: bytes.subarray(written) };
      return;
    }
    this.#phase = { kind: "lingering" };
    this.#onWritten();
    this.#wire.shutdown();
    if (this.#peerEnded) this.#wire.close();
  }
}

/** Where the empty line begins that ends a head. */
function endOfHead(buffer: Uint8Array, from: number, to: number): number | undefined {
  for (let at = from; at + 4 <= to; at += 1) {
    if (buffer[at] !== 13 || buffer[at + 1] !== 10) continue;
    if (buffer[at + 2] === 13 && buffer[at + 3] === 10) return at;
  }
  return undefined;
}
