import { addressOf, libc } from "#native";
import { checked } from "../libc/syscall-error.ts";
import { systemCallTable } from "../libc/system-call-numbers.ts";
import { unixAddress } from "./unix-address.ts";

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;

/**
 * Connects to a unix stream socket: that of a path, or with a leading `@` an abstract one;
 * connect(2), unix(7). Never waits. The kernel tells the peer that this process has connected, also
 * if another one gets the descriptor. It is close-on-exec and non-blocking; the caller owns it.
 *
 * @throws SyscallError `EAGAIN` if the listener's queue is full; `ENOENT` or `ECONNREFUSED`
 * if
 *   there is no listener. `EACCES` without the right to write to the socket. `EINVAL` for an address
 *   that is relative or too long.
 */
export function connectAt(address: string): number {
  const target = unixAddress(address, "connect");
  const kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  const fd = checked("socket", libc.socket(AF_UNIX, kind, 0));
  try {
    const { connect } = systemCallTable();
    checked("connect", libc.syscall(connect, fd, addressOf(target), target.length, 0, 0, 0));
    return fd;
  } catch (error) {
    libc.close(fd);
    throw error;
  }
}
