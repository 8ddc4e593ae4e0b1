import { lastErrno } from "#native";
import { errnoName } from "./errno-names.ts";

/** A call into the kernel that failed. */
export class SyscallError extends Error {
  /** The call, by its manual page's name. */
  readonly syscall: string;
  readonly errno: number;
  /** The name of the errno, for example `ENOENT`; `E<number>` if libc has no name for it. */
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

/** Returns a result that is not negative; a negative one becomes a SyscallError. */
export function checked(syscall: string, result: number | bigint): number {
  if (result < 0) throw new SyscallError(syscall, lastErrno());
  return Number(result);
}

/** The SyscallError that an error of the engine's host stands for; any other error as it is. */
export function asSyscallError(error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error && "errno" in error)) return error;
  const { syscall, errno } = error;
  const isOfHost = typeof syscall === "string" && typeof errno === "number";
  return isOfHost ? new SyscallError(syscall, errno) : error;
}

export { lastErrno };
