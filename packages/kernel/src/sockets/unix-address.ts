import { EINVAL } from "../libc/errno.ts";
import { SyscallError } from "../libc/syscall-error.ts";

const AF_UNIX = 1;
/** sun_path of struct sockaddr_un; unix(7). */
const PATH_BYTES = 108;

/**
 * struct sockaddr_un: the family, then the name; an abstract one begins with NUL and has no end.
 *
 * @throws SyscallError `EINVAL` for an address that is neither absolute nor abstract, or too long.
 */
export function unixAddress(address: string, syscall: string): Uint8Array {
  const name = new TextEncoder().encode(address);
  const isAbstract = address.startsWith("@");
  const length = isAbstract ? name.length : name.length + 1;
  const fits = length <= PATH_BYTES && name.length > 1 && !name.includes(0);
  if (!fits || !(isAbstract || address.startsWith("/"))) throw new SyscallError(syscall, EINVAL);
  const bytes = new Uint8Array(2 + length);
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
  bytes.set(name, 2);
  if (isAbstract) bytes[2] = 0;
  return bytes;
}
