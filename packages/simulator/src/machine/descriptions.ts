import { KernelError } from "./errors.ts";
import type { Inode } from "./inode.ts";

/** Data that has come, or its end; undefined if neither has. */
export type Arrived = Uint8Array | "end" | undefined;

export const READ_ONLY = 0;
export const WRITE_ONLY = 1;
export const READ_WRITE = 2;

/** An open file description; open(2). Descriptors of several processes may refer to it. */
export abstract class Description {
  /** The descriptors that refer to it, and messages that carry it. */
  references = 0;
  isNonBlocking = false;
  /** O_RDONLY, O_WRONLY or O_RDWR; open(2). */
  access = READ_WRITE;
  /** Shown by readlink(2) of /proc/PID/fd. */
  abstract readonly name: string;

  abstract read(count: number): Arrived;

  /** The number of bytes that were taken; undefined if there is no room. */
  abstract write(bytes: Uint8Array): number | undefined;

  abstract isReadable(): boolean;

  isWritable(): boolean {
    return true;
  }

  /** The other side is gone: POLLHUP, or POLLERR; poll(2). */
  lost(): "hang-up" | "error" | undefined {
    return undefined;
  }

  /** POLLIN: a pipe at its end has POLLHUP alone. */
  pollsIn(): boolean {
    return this.isReadable();
  }

  /** Called when the last reference goes. */
  close(): void {
    // Most have nothing to tell.
  }
}

const PIPE_BYTES = 65_536;
/** A write of up to this number of bytes is not split; pipe(7). */
const PIPE_BUF = 4096;

/** The buffer between both ends of a pipe; pipe(7). */
class PipeBuffer {
  bytes: Uint8Array = new Uint8Array(0);
  readers = 0;
  writers = 0;
}

class PipeEnd extends Description {
  readonly name = "pipe:";
  readonly #buffer: PipeBuffer;
  readonly #reads: boolean;

  constructor(buffer: PipeBuffer, reads: boolean) {
    super();
    this.#buffer = buffer;
    this.#reads = reads;
    this.access = reads ? READ_ONLY : WRITE_ONLY;
    if (reads) buffer.readers++;
    else buffer.writers++;
  }

  read(count: number): Arrived {
    const { bytes, writers } = this.#buffer;
    if (bytes.length === 0) return writers === 0 ? "end" : undefined;
    this.#buffer.bytes = bytes.subarray(count);
    return bytes.subarray(0, count);
  }

  write(bytes: Uint8Array): number | undefined {
    if (bytes.length === 0) return 0;
    const buffer = this.#buffer;
    if (buffer.readers === 0) throw new KernelError("EPIPE");
    const room = PIPE_BYTES - buffer.bytes.length;
    if (room === 0 || (bytes.length <= PIPE_BUF && bytes.length > room)) return undefined;
    const taken = bytes.subarray(0, room);
    buffer.bytes = joined(buffer.bytes, taken);
    return taken.length;
  }

  isReadable(): boolean {
    return this.#reads && (this.#buffer.bytes.length > 0 || this.#buffer.writers === 0);
  }

  override pollsIn(): boolean {
    return this.#reads && this.#buffer.bytes.length > 0;
  }

  override lost(): "hang-up" | "error" | undefined {
    const { readers, writers } = this.#buffer;
    if (this.#reads) return writers === 0 ? "hang-up" : undefined;
    return readers === 0 ? "error" : undefined;
  }

  override isWritable(): boolean {
    if (this.#reads) return false;
    const { bytes, readers } = this.#buffer;
    return readers === 0 || bytes.length < PIPE_BYTES;
  }

  override close(): void {
    if (this.#reads) this.#buffer.readers--;
    else this.#buffer.writers--;
  }
}

/** Both ends of a pipe; pipe(2). */
export function newPipe(): { readonly reads: Description; readonly writes: Description } {
  const buffer = new PipeBuffer();
  return { reads: new PipeEnd(buffer, true), writes: new PipeEnd(buffer, false) };
}

/** A part of a stream that came in one call, and the descriptor that came with it. */
interface Parcel {
  bytes: Uint8Array;
  readonly carried: Description | undefined;
}

/** One end of a pair of unix stream sockets; unix(7). */
export class Socket extends Description {
  readonly name = "socket:";
  readonly #inbox: Parcel[] = [];
  #peer: Socket | undefined;

  static pair(): readonly [Socket, Socket] {
    const one = new Socket();
    return [one, one.connect()];
  }

  /** Connects it with a new one, which is the server's; connect(2). */
  connect(): Socket {
    const other = new Socket();
    this.#peer = other;
    other.#peer = this;
    return other;
  }

  /** The number of calls whose data waits here. */
  get waiting(): number {
    return this.#inbox.length;
  }

  get isPeerGone(): boolean {
    return this.#peer === undefined;
  }

  read(count: number): Arrived {
    const received = this.receive(count);
    // A read drops the descriptor; unix(7).
    if (received?.carried !== undefined) release(received.carried);
    return received?.bytes ?? (this.#peer === undefined ? "end" : undefined);
  }

  override lost(): "hang-up" | undefined {
    return this.isPeerGone ? "hang-up" : undefined;
  }

  /**
   * Takes data, up to that of a call that carries a descriptor; undefined if there is nothing. The
   * caller owns `carried`.
   */
  receive(
    count: number,
  ): { readonly bytes: Uint8Array; readonly carried?: Description } | undefined {
    if (this.#inbox.length === 0) return undefined;
    let taken: Uint8Array = new Uint8Array(0);
    for (let [parcel] = this.#inbox; parcel !== undefined; [parcel] = this.#inbox) {
      const bytes = parcel.bytes.subarray(0, count - taken.length);
      const { carried } = parcel;
      taken = joined(taken, bytes);
      if (bytes.length === parcel.bytes.length) this.#inbox.shift();
      else this.#inbox[0] = { bytes: parcel.bytes.subarray(bytes.length), carried: undefined };
      if (carried !== undefined) return { bytes: taken, carried };
      if (taken.length === count) break;
    }
    return { bytes: taken };
  }

  write(bytes: Uint8Array): number {
    this.send(bytes, undefined);
    return bytes.length;
  }

  send(bytes: Uint8Array, carried: Description | undefined): void {
    if (this.#peer === undefined) throw new KernelError("EPIPE");
    if (carried !== undefined) carried.references++;
    this.#peer.#inbox.push({ bytes: bytes.slice(), carried });
  }

  isReadable(): boolean {
    return this.#inbox.length > 0 || this.#peer === undefined;
  }

  override close(): void {
    for (const { carried } of this.#inbox.splice(0)) if (carried !== undefined) release(carried);
    if (this.#peer !== undefined) this.#peer.#peer = undefined;
    this.#peer = undefined;
  }
}

/** A file that is open, with its position. */
export class OpenFile extends Description {
  readonly inode: Inode;
  position = 0;

  constructor(inode: Inode) {
    super();
    this.inode = inode;
  }

  get name(): string {
    return this.inode.path;
  }

  read(count: number): Arrived {
    const bytes = this.inode.readAt(this.position, count);
    this.position += bytes.length;
    return bytes.length === 0 ? "end" : bytes;
  }

  write(bytes: Uint8Array): number {
    const written = this.inode.writeAt(this.position, bytes);
    this.position += written;
    return written;
  }

  isReadable(): boolean {
    return true;
  }
}

/** A descriptor without data: an epoll instance, a pidfd, a listening socket. */
export class Handle extends Description {
  readonly name: string;
  readonly #isReadable: () => boolean;

  constructor(name: string, isReadable: () => boolean = () => false) {
    super();
    this.name = name;
    this.#isReadable = isReadable;
  }

  read(): Arrived {
    throw new KernelError("EINVAL");
  }

  write(): number {
    throw new KernelError("EINVAL");
  }

  isReadable(): boolean {
    return this.#isReadable();
  }
}

/** Gives a reference back. */
export function release(description: Description): void {
  description.references--;
  if (description.references === 0) description.close();
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
