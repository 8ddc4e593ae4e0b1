/** Numbers of errors; asm-generic/errno-base.h and asm-generic/errno.h. */
export const errno = {
  EPERM: 1,
  ENOENT: 2,
  ESRCH: 3,
  E2BIG: 7,
  EINTR: 4,
  EBADF: 9,
  ECHILD: 10,
  EAGAIN: 11,
  ENOMEM: 12,
  EACCES: 13,
  EFAULT: 14,
  EEXIST: 17,
  ENODEV: 19,
  ENOTDIR: 20,
  ENFILE: 23,
  EISDIR: 21,
  EINVAL: 22,
  EMFILE: 24,
  ENOTTY: 25,
  EFBIG: 27,
  ENOSPC: 28,
  ESPIPE: 29,
  EPIPE: 32,
  ENOSYS: 38,
  ELOOP: 40,
  ENODATA: 61,
  ENOTSOCK: 88,
  EADDRINUSE: 98,
  EADDRNOTAVAIL: 99,
  ECONNREFUSED: 111,
} as const;

/** The name of an error of the kernel. */
export type ErrorName = keyof typeof errno;

/** A refusal of the simulated kernel. */
export class KernelError extends Error {
  readonly errno: number;

  constructor(name: ErrorName) {
    super(name);
    this.errno = errno[name];
  }
}

/** Leaves the code of a process that has ended, or has become another program. It is not a fault. */
export class ProcessOver extends Error {
  constructor() {
    super("the process is over");
  }
}

/** A call, or a part of it, that the simulator does not know. */
export class NotModelled extends Error {
  constructor(what: string) {
    super(`the simulator does not model ${what}`);
  }
}
