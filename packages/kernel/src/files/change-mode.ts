import { libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { checked } from "../libc/syscall-error.ts";

/** Sets the permission bits of a file, regardless of the umask; follows links; chmod(2). */
export function changeMode(path: string, mode: number): void {
  checked("chmod", libc.chmod(cString(path), mode));
}
