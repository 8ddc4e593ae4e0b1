import { libc } from "#native";
import { checked, SyscallError } from "./syscall-error.ts";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
/** sun_path of struct sockaddr_un; unix(7). */
const PATH_BYTES = 108;
const EINVAL = 22;

/**
 * Sends one datagram to a unix socket: that of a path, or with a leading `@` an abstract one;
 * socket(2), sendto(2), unix(7). Never waits.
 *
 * @throws SyscallError `EAGAIN` where the receiver's queue is full, `ENOENT` or `ECONNREFUSED` where
 *   there is no receiver, `EINVAL` for an address that is neither absolute nor abstract, or too long.
 */
export function sendDatagram(address: string, bytes: Uint8Array): void {
  const target = unixAddress(address);
  const fd = checked("socket", libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  try {
    const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    checked("sendto", libc.sendto(fd, bytes, bytes.length, flags, target, target.length));
  } finally {
    libc.close(fd);
  }
}

/** struct sockaddr_un: the family, then the name; an abstract one begins with NUL and has no end. */
function unixAddress(address: string): Uint8Array {
  const name = new TextEncoder().encode(address);
  const isAbstract = address.startsWith("@");
  const length = isAbstract ? name.length : name.length + 1;
  const fits = length <= PATH_BYTES && name.length > 1 && !name.includes(0);
  if (!fits || !(isAbstract || address.startsWith("/"))) throw new SyscallError("sendto", EINVAL);
  const bytes = new Uint8Array(2 + length);
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
  bytes.set(name, 2);
  if (isAbstract) bytes[2] = 0;
  return bytes;
}
