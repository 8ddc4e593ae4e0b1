import { addressOf, arch, errno, libc } from "svc:engine";
import { cString, SyscallError } from "@svc/kernel";

const AT_FDCWD = -100;
const isArm = arch === "arm64";
const SYS_CHDIR = isArm ? 49 : 80;
const SYS_FCHOWNAT = isArm ? 54 : 260;
const SYS_SYMLINKAT = isArm ? 36 : 266;
const SYS_UTIMENSAT = isArm ? 88 : 280;

// System calls that tests make and the wrapper does not: the engine's libc does not bind them.

/** chdir(2). */
export function changeFolder(path: string): void {
  call("chdir", SYS_CHDIR, [cString(path)]);
}

/** chown(2). */
export function changeOwner(path: string, uid: number, gid: number): void {
  call("chown", SYS_FCHOWNAT, [AT_FDCWD, cString(path), uid, gid]);
}

/** symlink(2). */
export function makeLink(target: string, path: string): void {
  call("symlink", SYS_SYMLINKAT, [cString(target), AT_FDCWD, cString(path)]);
}

/** Sets the times of access and modification, in whole seconds since 1970; utimensat(2). */
export function setTimes(path: string, accessed: number, modified: number): void {
  const times = BigInt64Array.of(BigInt(accessed), 0n, BigInt(modified), 0n);
  call("utimensat", SYS_UTIMENSAT, [AT_FDCWD, cString(path), times]);
}

function call(name: string, number: number, values: readonly (number | ArrayBufferView)[]): void {
  const words = values.map((value) => (typeof value === "number" ? value : addressOf(value)));
  const six = [...words, 0, 0, 0, 0, 0].slice(0, 6);
  if (Number(libc["syscall"]?.(number, ...six)) < 0) throw new SyscallError(name, errno());
}
