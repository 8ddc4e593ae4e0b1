import { libc } from "#native";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { unixAddress } from "./unix-address.ts";

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const SOCK_NONBLOCK = 0o4000;
/** The caller went away, a signal came, or no connection waits; accept(2). */
const NOTHING_NOW = [11, 4, 103];

/**
 * A unix socket at a path that takes connections, and never waits for one; socket(2), bind(2),
 * listen(2). The caller owns it.
 *
 * @param mostWaiting how many may wait to be accepted; the kernel refuses more
 * @throws SyscallError `EADDRINUSE` if something is at the path
 */
export function listenAt(path: string, mostWaiting: number): number {
  const address = unixAddress(path, "bind");
  const fd = checked("socket", libc.socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  try {
    checked("bind", libc.bind(fd, address, address.length));
    checked("listen", libc.listen(fd, mostWaiting));
    return fd;
  } catch (error) {
    libc.close(fd);
    throw error;
  }
}

/**
 * The next connection of a listening socket, close-on-exec and non-blocking; undefined if none
 * waits; accept4(2).
 * The caller owns it.
 *
 * @throws SyscallError `EMFILE` if this process may have no more descriptors
 */
export function acceptConnection(fd: number): number | undefined {
  const accepted = libc.accept4(fd, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted >= 0) return accepted;
  const errno = lastErrno();
  if (NOTHING_NOW.includes(errno)) return undefined;
  throw new SyscallError("accept4", errno);
}
