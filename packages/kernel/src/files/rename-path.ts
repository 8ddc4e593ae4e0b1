import { libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { checked } from "../libc/syscall-error.ts";

/** Gives a file another name in its file system, in place of a file that has it; rename(2). */
export function renamePath(from: string, to: string): void {
  checked("rename", libc.rename(cString(from), cString(to)));
}
