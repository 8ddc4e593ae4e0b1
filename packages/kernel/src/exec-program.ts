import { libc } from "#native";
import { cString, type StringVector } from "./c-strings.ts";
import { lastErrno, SyscallError } from "./syscall-error.ts";

/**
 * Becomes another program; execve(2). Returns only by throwing.
 *
 * Handlers go back to their defaults and close-on-exec descriptors close; the signal mask, ignored
 * signals and resource limits stay as they are.
 */
export function execProgram(path: Uint8Array, argv: StringVector, envp: StringVector): never {
  libc.execve(cString(path), argv.pointers, envp.pointers);
  throw new SyscallError("execve", lastErrno());
}
