// asm-generic/errno-base.h, asm-generic/errno.h; x86 and arm64 have these numbers.
export const EPERM = 1;
export const ENOENT = 2;
export const ESRCH = 3;
export const EINTR = 4;
export const EBADF = 9;
export const ECHILD = 10;
export const EAGAIN = 11;
export const ENOMEM = 12;
export const EACCES = 13;
export const EFAULT = 14;
export const EISDIR = 21;
export const EINVAL = 22;
export const EFBIG = 27;
export const EPIPE = 32;
export const ENOSYS = 38;
export const ENOPROTOOPT = 92;
export const ETIMEDOUT = 110;
