import { expect, test } from "bun:test";
import { SyscallError } from "@svc/kernel";
import { isLockLimit, lockFailure, lockLimitMessage } from "./lock-limit-message.ts";

const [EPERM, ENOMEM, EAGAIN, EFAULT] = [1, 12, 11, 14];
const unlimited = Number.POSITIVE_INFINITY;

test.each([
  ["the limit that is too small", ENOMEM, 8192, "RLIMIT_MEMLOCK is 8192 bytes"],
  ["a limit of 0, which EPERM stands for", EPERM, 0, "RLIMIT_MEMLOCK is 0 bytes"],
  [
    ...["a filter, if EPERM comes beside a limit that allows some", EPERM, 8192],
    "and a seccomp filter or a security module refuses them",
  ],
  [
    ...["the kernel, if the limit cannot be the cause", ENOMEM, unlimited],
    "and the kernel refuses them, though RLIMIT_MEMLOCK is unlimited",
  ],
] as const)("locked memory that is refused names %s", (_, errno, limit, cause) => {
  const error = new SyscallError("mlock", errno);
  expect(lockLimitMessage("lock secrets", error, 4096, limit)).toBe(
    `lock secrets: ${error.message}: 4096 bytes of locked memory are needed, ${cause}`,
  );
});

test.each([
  ["mmap", EAGAIN, true],
  ["pread", EFAULT, true],
  ["mlock", ENOMEM, true],
  ["mlock", EAGAIN, true],
  ["mlock", EPERM, true],
  ["mmap", ENOMEM, false],
  ["memfd_secret", EPERM, false],
] as const)("%s with errno %p counts as a limit of locked memory: %p", (syscall, errno, is) => {
  const error = new SyscallError(syscall, errno);
  expect(isLockLimit(error)).toBe(is);
  const { code, message } = lockFailure("protect secrets", error, 4096);
  expect(code).toBe(is ? "MEMORY_LOCK_LIMIT" : "SYSTEM_CALL_REFUSED");
  expect(message).toStartWith("protect secrets: ");
});
