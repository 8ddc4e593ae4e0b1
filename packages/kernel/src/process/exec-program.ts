import { addressOf, libc } from "#native";
import { cString, type StringVector } from "../libc/c-strings.ts";
import { lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { systemCallTable } from "../libc/system-call-numbers.ts";

/**
 * Becomes another program; execve(2). Returns only by throwing.
 *
 * Handlers go back to their defaults and close-on-exec descriptors close; the signal mask, ignored
 * signals and resource limits stay as they are.
 *
 * @param pass a fourth argument, for a filter of seccomp(2) to see: execve(2) has but three.
 */
export function execProgram(
  path: Uint8Array,
  argv: StringVector,
  envp: StringVector,
  pass = 0,
): never {
  const name = cString(path);
  const words = [name, argv.pointers, envp.pointers].map(addressOf);
  const [file = 0, first = 0, second = 0] = words;
  libc.syscall(systemCallTable().execve, file, first, second, pass, 0, 0);
  throw new SyscallError("execve", lastErrno());
}
