import { libc } from "#native";
import { checked } from "../libc/syscall-error.ts";
import { unixAddress } from "./unix-address.ts";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/**
 * Sends one datagram to a unix socket: that of a path, or with a leading `@` an abstract one;
 * socket(2), sendto(2), unix(7). Never waits.
 *
 * @throws SyscallError `EAGAIN` if the receiver's queue is full, `ENOENT` or `ECONNREFUSED`
 * if
 *   there is no receiver, `EINVAL` for an address that is neither absolute nor abstract, or too long.
 */
export function sendDatagram(address: string, bytes: Uint8Array): void {
  const target = unixAddress(address, "sendto");
  const fd = checked("socket", libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  try {
    const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    checked("sendto", libc.sendto(fd, bytes, bytes.length, flags, target, target.length));
  } finally {
    libc.close(fd);
  }
}
