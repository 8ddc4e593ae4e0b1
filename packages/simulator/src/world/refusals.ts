import type { ErrorName } from "../machine/errors.ts";

/** Errors of calls that a healthy machine gives, too; the manual page of each. */
export const refusals: Readonly<Record<string, readonly ErrorName[]>> = {
  fork: ["EAGAIN", "ENOMEM"],
  pipe2: ["EMFILE", "ENFILE"],
  socketpair: ["EMFILE", "ENFILE", "ENOMEM"],
  memfd_secret: ["EMFILE", "ENFILE", "ENOMEM"],
  open: ["EMFILE", "ENFILE", "ENOMEM"],
  memfd_create: ["EMFILE", "ENFILE", "ENOMEM"],
  mmap: ["ENOMEM"],
  mlock: ["ENOMEM"],
  ftruncate: ["EINTR"],
  poll: ["EINTR", "ENOMEM"],
  sendmsg: ["ENOMEM"],
  read: ["EINTR"],
  write: ["EINTR"],
};
