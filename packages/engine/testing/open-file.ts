import { errno, libc } from "svc:engine";
import { cString, SyscallError } from "@svc/kernel";

const O_WRONLY = 1;
const O_CREAT = 0o100;
const O_TRUNC = 0o1000;
const O_CLOEXEC = 0o2000000;
const RW_FOR_ALL = 0o666;

/** Opens a file, by the flags of open(2) or as fopen(3) has it by `w`. */
export function openFile(path: string, flags: number | "r" | "w"): number {
  if (flags === "w") return openForWriting(path, RW_FOR_ALL);
  return open(path, flags === "r" ? 0 : flags, 0);
}

/** Empties a file that is there, or makes one with a mode, of which the umask takes bits. */
export function openForWriting(path: string | Uint8Array, mode: number): number {
  return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

function open(path: string | Uint8Array, flags: number, mode: number): number {
  const fd = Number(libc["open"]?.(cString(path), flags | O_CLOEXEC, mode));
  if (fd < 0) throw new SyscallError("open", errno());
  return fd;
}
