import { type Pointer, read } from "bun:ffi";
import { constants } from "node:os";
import { libc } from "./libc.ts";

/** A call into the kernel that failed. */
export class SyscallError extends Error {
  /** The call, by its manual page's name. */
  readonly syscall: string;
  readonly errno: number;
  /** The name of the errno, for example `ENOENT`; `E<number>` where libc has no name for it. */
  readonly code: string;

  constructor(syscall: string, errno: number) {
    const code = errnoName(errno);
    super(`${syscall}: ${code}`);
    this.name = "SyscallError";
    this.syscall = syscall;
    this.errno = errno;
    this.code = code;
  }
}

/** Must be called before anything else calls libc: every call may overwrite errno (errno(3)). */
export function lastErrno(): number {
  // The address of this thread's errno is a valid int for as long as the thread runs.
  return read.i32(Number(libc.__errno_location()) as Pointer, 0);
}

/** Returns a result that is not negative; a negative one becomes a SyscallError. */
export function checked(syscall: string, result: number | bigint): number {
  if (result < 0) throw new SyscallError(syscall, lastErrno());
  return Number(result);
}

function errnoName(errno: number): string {
  for (const [name, value] of Object.entries(constants.errno)) if (value === errno) return name;
  return `E${errno}`;
}
