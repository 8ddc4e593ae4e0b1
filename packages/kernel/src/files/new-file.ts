import { addressOf, architecture, libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";

// libc has functions of these names, which the small engine does not bind.
const numbers =
  architecture === "arm64"
    ? { symlinkat: 36, fallocate: 47, fchmod: 52, fchown: 55 }
    : { symlinkat: 266, fallocate: 285, fchmod: 91, fchown: 93 };

const AT_FDCWD = -100;
const O_RDWR = 2;
const O_WRONLY = 1;
const O_CREAT = 0o100;
const O_EXCL = 0o200;
const O_CLOEXEC = 0o2000000;
// asm-generic/fcntl.h, and arm64's own.
const O_NOFOLLOW = architecture === "arm64" ? 0o100000 : 0o400000;
const FOR_OWNER = 0o600;
const EOPNOTSUPP = 95;
// fcntl(2); a lease for writing is given only if no other descriptor leads to the file.
const F_SETSIG = 10;
const F_SETLEASE = 1024;
const F_ADD_SEALS = 1033;
// F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE
const ALL_SEALS = 15;
const F_WRLCK = 1;
/** Ignored by default; a broken lease sends it. */
const SIGURG = 23;

/** Makes a file that only its owner may open, close-on-exec; open(2). It must not be there yet. */
export function createFile(path: string): number {
  const flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  return checked("open", libc.open(cString(path), flags, FOR_OWNER));
}

/**
 * Gives an empty file its length and its memory, so that a mapping of it finds all pages; fallocate(2).
 *
 * @throws SyscallError `ENOSPC` if the file system is full.
 */
export function takeRoom(fd: number, length: number): void {
  if (length === 0) return;
  const { fallocate } = numbers;
  if (Number(libc.syscall(fallocate, fd, 0, 0, length, 0, 0)) >= 0) return;
  if (lastErrno() !== EOPNOTSUPP) throw new SyscallError("fallocate", lastErrno());
  // ramfs gives pages as they are touched, and has no end.
  cutFile(fd, length);
}

/** Gives a file a length; ftruncate(2). */
export function cutFile(fd: number, length: number): void {
  checked("ftruncate", libc.ftruncate(fd, length));
}

/** Sets the permission bits of an open file, regardless of the umask; fchmod(2). */
export function changeFileMode(fd: number, mode: number): void {
  const { fchmod } = numbers;
  checked("fchmod", libc.syscall(fchmod, fd, mode, 0, 0, 0, 0));
}

/**
 * Gives an open file to another user and group; fchown(2).
 *
 * @throws SyscallError `EPERM` without CAP_CHOWN.
 */
export function changeFileOwner(fd: number, uid: number, gid: number): void {
  const { fchown } = numbers;
  checked("fchown", libc.syscall(fchown, fd, uid, gid, 0, 0, 0));
}

/** Makes a link that leads to a text; symlink(2). */
export function makeLink(leadsTo: string, path: string): void {
  const target = cString(leadsTo);
  const name = cString(path);
  const { symlinkat } = numbers;
  const result = libc.syscall(symlinkat, addressOf(target), AT_FDCWD, addressOf(name), 0, 0, 0);
  checked("symlink", result);
}

/** Opens a file for writing that is there, and is not a link, close-on-exec; open(2). */
export function openForWriting(path: string): number {
  return checked("open", libc.open(cString(path), O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0));
}

/** Forbids every change of a memfd's content and size, for ever; fcntl(2), F_ADD_SEALS. */
export function sealFile(fd: number): void {
  checked("fcntl", libc.fcntl(fd, F_ADD_SEALS, ALL_SEALS));
}

/** True if no other descriptor and no mapping leads to an open file; fcntl(2), F_SETLEASE. */
export function isOnlyUser(fd: number): boolean {
  if (libc.fcntl(fd, F_SETSIG, SIGURG) < 0) return false;
  return libc.fcntl(fd, F_SETLEASE, F_WRLCK) === 0;
}
