import { sha256OfFile as nativeSha256 } from "#native";
import { asSyscallError } from "../libc/syscall-error.ts";

/**
 * SHA-256 of an open file from its start to its end, in hexadecimal digits; FIPS 180-4. The file's
 * offset stays.
 *
 * @throws SyscallError if the file cannot be read.
 */
export function sha256OfFile(fd: number): string {
  try {
    return nativeSha256(fd);
  } catch (error) {
    throw asSyscallError(error);
  }
}
