import { addressOf, libc } from "#native";
import { EAGAIN, EINTR } from "../libc/errno.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { systemCallTable } from "../libc/system-call-numbers.ts";

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const MSG_CMSG_CLOEXEC = 0x4000_0000;
/** struct msghdr of recvmsg(2) on 64-bit Linux, in words of 8 bytes. */
const MESSAGE_WORDS = 7;
/** struct cmsghdr and one int, padded; cmsg(3). */
const CONTROL_BYTES = 24;
const CONTROL_LENGTH = 20;
const CONTROL_DESCRIPTOR = 16;

/** Two sockets; data sent on one arrives at the other. Both are close-on-exec. */
export interface SocketPair {
  readonly here: number;
  readonly there: number;
}

/** Makes a pair of unix stream sockets; socketpair(2). The caller owns both. */
export function makeSocketPair(): SocketPair {
  const fds = new Int32Array(2);
  const { socketpair } = systemCallTable();
  const kind = SOCK_STREAM | SOCK_CLOEXEC;
  checked("socketpair", libc.syscall(socketpair, AF_UNIX, kind, 0, addressOf(fds), 0, 0));
  return { here: fds[0] ?? -1, there: fds[1] ?? -1 };
}

/** Sends a copy of a descriptor with one byte; sendmsg(2), unix(7) SCM_RIGHTS. Never waits. */
export function sendDescriptor(socket: number, fd: number): void {
  sendMessage(socket, new Uint8Array(1), fd);
}

/**
 * Sends bytes, and a copy of a descriptor if one is given; sendmsg(2), unix(7) SCM_RIGHTS. Never
 * waits.
 *
 * @throws SyscallError `EPIPE` if the other end is closed, `EAGAIN` if its buffer is full.
 */
export function sendMessage(socket: number, data: Uint8Array, fd?: number): void {
  const control = fd === undefined ? new Uint8Array(0) : controlWith(fd);
  const message = messageWith(data, control);
  const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  const { sendmsg } = systemCallTable();
  checked("sendmsg", libc.syscall(sendmsg, socket, addressOf(message.header), flags, 0, 0, 0));
}

/**
 * Takes a descriptor that has been sent, close-on-exec; recvmsg(2). The caller owns it. Undefined
 * if none has been sent. Never waits.
 */
export function receiveDescriptor(socket: number): number | undefined {
  return received(socket, 1, MSG_DONTWAIT)?.fd;
}

/** Bytes that were sent, and the descriptor that came with them, which is close-on-exec. */
export interface ReceivedMessage {
  readonly bytes: Uint8Array;
  readonly fd: number | undefined;
}

/**
 * Waits for bytes, at most `limit`; recvmsg(2). The caller owns the descriptor. Undefined if the
 * other end is closed.
 */
export function receiveMessage(socket: number, limit: number): ReceivedMessage | undefined {
  return received(socket, limit, 0);
}

function received(socket: number, limit: number, flags: number): ReceivedMessage | undefined {
  const control = new Uint8Array(CONTROL_BYTES);
  const data = new Uint8Array(limit);
  const message = messageWith(data, control);
  const { recvmsg } = systemCallTable();
  const how = flags | MSG_CMSG_CLOEXEC;
  for (;;) {
    const count = Number(libc.syscall(recvmsg, socket, addressOf(message.header), how, 0, 0, 0));
    if (count < 0) {
      const errno = lastErrno();
      if (errno === EINTR) continue;
      // Nothing was sent, to one that does not wait.
      if (errno === EAGAIN && (flags & MSG_DONTWAIT) !== 0) return undefined;
      throw new SyscallError("recvmsg", errno);
    }
    if (count === 0) return undefined;
    const view = new DataView(control.buffer);
    const hasDescriptor = view.getInt32(12, true) === SCM_RIGHTS;
    const fd = hasDescriptor ? view.getInt32(CONTROL_DESCRIPTOR, true) : undefined;
    return { bytes: data.subarray(0, count), fd };
  }
}

/** struct cmsghdr of one descriptor; cmsg(3). */
function controlWith(fd: number): Uint8Array {
  const control = new Uint8Array(CONTROL_BYTES);
  const view = new DataView(control.buffer);
  view.setBigUint64(0, BigInt(CONTROL_LENGTH), true);
  view.setInt32(8, SOL_SOCKET, true);
  view.setInt32(12, SCM_RIGHTS, true);
  view.setInt32(CONTROL_DESCRIPTOR, fd, true);
  return control;
}

/**
 * struct msghdr: no name, the data, the control message. `keep` holds the targets of its pointers.
 */
function messageWith(data: Uint8Array, control: Uint8Array) {
  const vector = BigUint64Array.of(BigInt(addressOf(data)), BigInt(data.length));
  const header = new BigUint64Array(MESSAGE_WORDS);
  header[2] = BigInt(addressOf(vector));
  header[3] = 1n;
  if (control.length > 0) header[4] = BigInt(addressOf(control));
  header[5] = BigInt(control.length);
  return { header, keep: [data, vector, control] };
}
