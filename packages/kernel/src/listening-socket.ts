import { libc } from "#native";
import { checked } from "./syscall-error.ts";

const IPPROTO_TCP = 6;
const TCP_DEFER_ACCEPT = 9;
const INT_BYTES = 4;

/**
 * Lets more connections wait at a socket that listens already; listen(2). The kernel allows no more than
 * /proc/sys/net/core/somaxconn, 4,096 unless set.
 *
 * @throws SyscallError `ENOTSOCK`, `EBADF`
 */
export function setListenBacklog(fd: number, connections: number): void {
  checked("listen", libc.listen(fd, connections));
}

/**
 * Has the kernel keep connections until their client has sent something, or about so many seconds are
 * over; TCP_DEFER_ACCEPT, tcp(7). For protocols in which the client speaks first.
 *
 * @throws SyscallError `ENOTSOCK`, `EBADF`
 */
export function deferAccept(fd: number, seconds: number): void {
  const value = Int32Array.of(seconds);
  const done = libc.setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, value, INT_BYTES);
  checked("setsockopt", done);
}
