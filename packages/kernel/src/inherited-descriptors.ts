import { libc } from "#native";
import { descriptorLimit } from "./descriptor-limit.ts";
import { readWholeFile } from "./files.ts";
import { SyscallError } from "./syscall-error.ts";

const F_GETFD = 1;
const MAX_FILE_BYTES = 65536;
/** So many numbers are tried where /proc does not say how many there are. */
const MOST_WITHOUT_PROC = 65536;
/** What /proc/self/fdinfo says of the kinds of descriptor that the runtime opens for itself. */
const runtimeKinds = /^(?:eventfd-count|tfd|clockid):/m;

/**
 * The descriptors above 2 that this process was started with. To be called before the process opens
 * any of its own: the runtime has marked every one above 3 as close-on-exec by then, so the flag no
 * longer tells. Those of the runtime (epoll, eventfd, timerfd) are left out; proc_pid_fdinfo(5).
 */
export function inheritedDescriptors(): readonly number[] {
  const told = /^FDSize:\s*(\d+)$/m.exec(textOf("/proc/self/status"))?.[1];
  const size = told === undefined ? Math.min(descriptorLimit(), MOST_WITHOUT_PROC) : Number(told);
  return Array.from({ length: size }, (_, fd) => fd).filter(
    (fd) =>
      fd > 2 &&
      libc.fcntl(fd, F_GETFD, 0) >= 0 &&
      !runtimeKinds.test(textOf(`/proc/self/fdinfo/${fd}`)),
  );
}

/** Empty where /proc is not mounted. */
function textOf(path: string): string {
  try {
    return new TextDecoder().decode(readWholeFile(path, MAX_FILE_BYTES));
  } catch (error) {
    if (error instanceof SyscallError) return "";
    throw error;
  }
}
