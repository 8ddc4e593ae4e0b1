import { libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { lastErrno, SyscallError } from "../libc/syscall-error.ts";

/**
 * Makes a folder of a new name that only its owner can read; mkdtemp(3).
 *
 * @param start the start of the path; six letters follow.
 * @returns its path.
 */
export function makeTemporaryFolder(start: string): string {
  const template = cString(`${start}XXXXXX`);
  if (Number(libc.mkdtemp(template)) === 0) throw new SyscallError("mkdtemp", lastErrno());
  return new TextDecoder().decode(template.subarray(0, -1));
}
