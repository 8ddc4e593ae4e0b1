import { memoryLockLimit, type SyscallError } from "@svc/kernel";
import { type Failure, failure, refusedCall } from "./errors.ts";

/** Calls that fail for RLIMIT_MEMLOCK, with the errno that they then have; see sizeAndMap. */
const ofLimit = ["mmap: EAGAIN", "pread: EFAULT", "mlock: ENOMEM", "mlock: EAGAIN", "mlock: EPERM"];

/** Whether less locked memory would have been granted. */
export function isLockLimit({ message }: SyscallError): boolean {
  return ofLimit.includes(message);
}

/** The failure of an attempt to have memory for secrets; see lockLimitMessage. */
export function lockFailure(attempt: string, error: SyscallError, bytes: number): Failure {
  return isLockLimit(error)
    ? failure("MEMORY_LOCK_LIMIT", lockLimitMessage(attempt, error, bytes))
    : refusedCall(error, `${attempt}: `);
}

/**
 * Says why memory for secrets could not be had, with the limit that was too small.
 *
 * @param attempt for example `protect secrets`.
 * @param bytes how much locked memory it takes.
 */
export function lockLimitMessage(
  attempt: string,
  error: SyscallError,
  bytes: number,
  limit: number = memoryLockLimit(),
): string {
  const found = `${attempt}: ${error.message}: ${bytes} bytes of locked memory are needed`;
  // mlock(2) says so for a limit of 0 as well; with any other it is a filter that refuses.
  if (error.code === "EPERM" && limit > 0) {
    return `${found}, and a seccomp filter or a security module refuses them`;
  }
  return `${found}, ${aboutLockLimit(limit)}`;
}

/** The limit in words. */
export function aboutLockLimit(bytes: number): string {
  return Number.isFinite(bytes)
    ? `RLIMIT_MEMLOCK is ${bytes} bytes`
    : "and the kernel refuses them, though RLIMIT_MEMLOCK is unlimited";
}
