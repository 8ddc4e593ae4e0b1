import { libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { checked, SyscallError } from "../libc/syscall-error.ts";
import { pathStatus } from "./path-status.ts";
import { folderOf } from "./paths.ts";

const RWXRWXRWX = 0o777;

/** Makes a folder in one that is there; the umask takes bits off its mode; mkdir(2). */
export function makeFolder(path: string, mode: number = RWXRWXRWX): void {
  checked("mkdir", libc.mkdir(cString(path), mode));
}

/**
 * Makes a folder and those above it that are missing; mkdir(2). One that is there stays as it is.
 *
 * @throws SyscallError; `EEXIST` if another kind of file has the name.
 */
export function makeFolders(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (error.code === "EEXIST" && pathStatus(path).kind === "folder") return;
    const above = folderOf(path);
    if (error.code !== "ENOENT" || above === path) throw error;
    makeFolders(above);
    makeFolders(path);
  }
}
