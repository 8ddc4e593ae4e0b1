import type { ErrorName } from "../machine/errors.ts";

const descriptors = ["EMFILE", "ENFILE", "ENOMEM"] as const;

/**
 * Errors that a healthy machine gives, too, by the manual page of each call. A call with one cause
 * for each of its errors is left out: ENOENT, EACCES, EBADF and EINVAL come by stories. So is one
 * that never waits, as the host blocks all signals: waitid with WNOHANG, and reads of /proc.
 */
export const refusals: Readonly<Record<string, readonly ErrorName[]>> = {
  fork: ["EAGAIN", "ENOMEM"],
  execve: ["ENOMEM", "EAGAIN", "ENFILE", "EMFILE"],
  pipe2: ["EMFILE", "ENFILE"],
  socketpair: descriptors,
  socket: descriptors,
  memfd_secret: descriptors,
  open: [...descriptors, "EINTR"],
  memfd_create: descriptors,
  pidfd_open: descriptors,
  epoll_create1: descriptors,
  mmap: ["ENOMEM", "EAGAIN"],
  mlock: ["ENOMEM", "EAGAIN"],
  ftruncate: ["EINTR"],
  poll: ["EINTR", "ENOMEM"],
  sendmsg: ["ENOMEM"],
  recvmsg: ["EINTR", "ENOMEM"],
  read: ["EINTR"],
  write: ["EINTR"],
};
