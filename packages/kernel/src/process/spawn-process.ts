import { libc } from "#native";
import { setCloseOnExec } from "../descriptors/descriptors.ts";
import { cString, type StringVector } from "../libc/c-strings.ts";
import { EBADF } from "../libc/errno.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import type { SignalSet } from "../signals/signals.ts";

const POSIX_SPAWN_SETPGROUP = 0x02;
const POSIX_SPAWN_SETSIGMASK = 0x08;
// glibc: sizeof(posix_spawnattr_t) is 336, sizeof(posix_spawn_file_actions_t) is 80.
const OPAQUE_BYTES = 512;

/** How to start a child. */
export interface SpawnOptions {
  readonly path: string;
  readonly argv: StringVector;
  readonly envp: StringVector;
  /** Close-on-exec descriptors that the child gets all the same, under the same numbers. */
  readonly inheritFds: readonly number[];
  /** The child's signal mask. */
  readonly blockedSignals: SignalSet;
}

/**
 * Starts a child that leads a new process group; posix_spawn(3).
 *
 * Not Bun.spawn: that waits for its children itself, and a PID 1 must reap every process in one
 * place. It also passes argv and environment as UTF-8, and here they are bytes.
 *
 * @returns the child's pid.
 */
export function spawnProcess(options: SpawnOptions): number {
  const attributes = new Uint8Array(OPAQUE_BYTES);
  check("posix_spawnattr_init", libc.posix_spawnattr_init(attributes));
  libc.posix_spawnattr_setpgroup(attributes, 0);
  libc.posix_spawnattr_setsigmask(attributes, options.blockedSignals);
  libc.posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const actions = new Uint8Array(OPAQUE_BYTES);
  check("posix_spawn_file_actions_init", libc.posix_spawn_file_actions_init(actions));
  const aboveLimit: number[] = [];
  try {
    for (const fd of options.inheritFds) {
      // dup2 onto itself clears close-on-exec in the child only (glibc 2.29).
      const errno = libc.posix_spawn_file_actions_adddup2(actions, fd, fd);
      // It was opened before RLIMIT_NOFILE was lowered below its number.
      if (errno === EBADF) aboveLimit.push(fd);
      else check("adddup2", errno);
    }
    for (const fd of aboveLimit) setCloseOnExec(fd, false);
    const pid = new Int32Array(1);
    const { pointers: argv } = options.argv;
    const { pointers: envp } = options.envp;
    const path = cString(options.path);
    check("posix_spawn", libc.posix_spawn(pid, path, actions, attributes, argv, envp));
    return pid[0] ?? 0;
  } finally {
    for (const fd of aboveLimit) setCloseOnExec(fd, true);
    libc.posix_spawn_file_actions_destroy(actions);
  }
}

function check(call: string, errno: number): void {
  if (errno !== 0) throw new SyscallError(call, errno);
}
