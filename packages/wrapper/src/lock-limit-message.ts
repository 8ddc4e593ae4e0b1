import { memoryLockLimit, type SyscallError } from "@svc/kernel";

/**
 * Says why memory for secrets could not be had, with the limit that was too small.
 *
 * @param attempt for example `protect secrets`.
 * @param bytes how much locked memory it takes.
 */
export function lockLimitMessage(attempt: string, error: SyscallError, bytes: number): string {
  const limit = memoryLockLimit();
  const found = `${attempt}: ${error.message}: ${bytes} bytes of locked memory are needed`;
  // mlock(2) says so for a limit of 0 as well; with any other it is a filter that refuses.
  if (error.code === "EPERM" && limit > 0) {
    return `${found}, and a seccomp filter or a security module refuses them`;
  }
  return `${found}, RLIMIT_MEMLOCK is ${limit} bytes`;
}
