import { libc, processId } from "#native";
import { checked } from "./syscall-error.ts";

const F_SETFL = 4;
const F_SETOWN = 8;
const F_SETSIG = 10;
const SIGCHLD = 17;
const O_NONBLOCK = 0o4000;
const O_ASYNC = 0o20000;

/**
 * Makes a pipe's reading end non-blocking, and lets it raise SIGCHLD in this process whenever there is something
 * to read, the end included: F_SETOWN, F_SETSIG and O_ASYNC, fcntl(2). SIGCHLD because it is never forwarded: an
 * announcement is not taken for a signal of somebody else, and somebody else's SIGIO not for an announcement.
 */
export function announceByChildSignal(readFd: number): void {
  checked("fcntl", libc.fcntl(readFd, F_SETOWN, processId()));
  checked("fcntl", libc.fcntl(readFd, F_SETSIG, SIGCHLD));
  checked("fcntl", libc.fcntl(readFd, F_SETFL, O_NONBLOCK | O_ASYNC));
}
