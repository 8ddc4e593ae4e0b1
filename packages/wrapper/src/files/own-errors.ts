import type { SyscallError } from "@svc/kernel";

const ownErrors: readonly string[] = ["EMFILE", "ENFILE", "ENOMEM", "EBADF", "EFAULT"];

/** True for a failed call that says something of this process, and nothing of the file. */
export function isOwnError({ code }: SyscallError): boolean {
  return ownErrors.includes(code);
}
