import { libc } from "#native";
import { ENOPROTOOPT } from "../libc/errno.ts";
import { lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { UnsupportedFeatureError } from "../libc/unsupported-feature-error.ts";

// asm-generic/socket.h; x86 and arm64 have these.
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const SO_PEERPIDFD = 77;

/** The peer of a unix socket, as the kernel recorded it at connect(2). */
export interface SocketPeer {
  /** In this process's pid namespace; 0 if the peer has no number there. */
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The other end of a connected unix socket; SO_PEERCRED, unix(7). The process may have ended since.
 */
export function socketPeer(fd: number): SocketPeer {
  const words = new Int32Array(3);
  option("SO_PEERCRED", { fd, name: SO_PEERCRED, value: words });
  const [pid = 0, uid = 0, gid = 0] = words;
  return { pid, uid: uid >>> 0, gid: gid >>> 0 };
}

/**
 * A descriptor of the process at the other end of a unix socket, which no later process of that pid
 * is mistaken for; SO_PEERPIDFD, unix(7). The caller owns it.
 *
 * @throws UnsupportedFeatureError before Linux 6.5; SyscallError `ESRCH` or `EINVAL` if the
 * process is gone.
 */
export function socketPeerProcess(fd: number): number {
  const word = new Int32Array(1);
  try {
    option("SO_PEERPIDFD", { fd, name: SO_PEERPIDFD, value: word });
  } catch (error) {
    if (!(error instanceof SyscallError) || error.errno !== ENOPROTOOPT) throw error;
    throw new UnsupportedFeatureError("SO_PEERPIDFD", "Linux 6.5", error);
  }
  return word[0] ?? -1;
}

interface SocketOption {
  readonly fd: number;
  readonly name: number;
  readonly value: Int32Array;
}

function option(called: string, { fd, name, value }: SocketOption): void {
  const length = new Uint32Array([value.byteLength]);
  if (libc.getsockopt(fd, SOL_SOCKET, name, value, length) >= 0) return;
  throw new SyscallError(`getsockopt ${called}`, lastErrno());
}
