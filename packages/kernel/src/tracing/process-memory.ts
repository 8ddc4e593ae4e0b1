import { libc } from "#native";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { readAt, writeAt } from "../files/files.ts";
import { cString } from "../libc/c-strings.ts";
import { ESRCH } from "../libc/errno.ts";
import { SyscallError } from "../libc/syscall-error.ts";
import { peekWord, pokeBytes } from "./ptrace.ts";

const O_RDWR = 2;
const O_CLOEXEC = 0o2000000;
const WORD_BYTES = 8;

/** The memory of a stopped tracee, regardless of its protection. */
export interface ProcessMemory extends Disposable {
  /** @param length in bytes, a multiple of 8. */
  read(address: number, length: number): Uint8Array;
  /** @param bytes as many as a multiple of 8. */
  write(address: number, bytes: Uint8Array): void;
}

/**
 * The memory of a stopped tracee: by /proc/PID/mem (proc_pid_mem(5)), and word by word (ptrace(2))
 * if that file is closed to the tracer, because the tracee has changed its user.
 */
export function processMemory(pid: number): ProcessMemory {
  const fd = libc.open(cString(`/proc/${pid}/mem`), O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) return wordByWord(pid);
  return {
    read: (address, length) => {
      const bytes = new Uint8Array(length);
      // A killed process has no memory to read.
      if (readAt(fd, bytes, address) < length) throw new SyscallError("read", ESRCH);
      return bytes;
    },
    write: (address, bytes) => {
      try {
        writeAt(fd, bytes, address);
      } catch (error) {
        // If proc_mem.force_override is "never" (Linux 6.12) only ptrace writes to read-only
        // memory.
        if (!(error instanceof SyscallError) || error.code !== "EIO") throw error;
        pokeBytes(pid, address, bytes);
      }
    },
    [Symbol.dispose]: () => closeDescriptor(fd),
  };
}

function wordByWord(pid: number): ProcessMemory {
  return {
    read: (address, length) => {
      const words = BigUint64Array.from({ length: length / WORD_BYTES }, (_, index) =>
        peekWord(pid, address + index * WORD_BYTES),
      );
      return new Uint8Array(words.buffer);
    },
    write: (address, bytes) => pokeBytes(pid, address, bytes),
    [Symbol.dispose]: () => {
      // There is nothing open.
    },
  };
}
