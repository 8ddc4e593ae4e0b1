import { bytesAt, forgetBytes, libc } from "#native";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";

const PROT_READ = 1;
const PROT_WRITE = 2;
const MAP_SHARED = 1;

/** A shared mapping of a descriptor, owned by its maker. */
export interface Mapping {
  /** Its address; valid until unmap. */
  readonly address: number;
  /** A live view; it must not be touched after unmap. */
  readonly bytes: Uint8Array;
  unmap(): void;
}

/** Maps the first `length` bytes of a descriptor, shared; mmap(2). */
export function mapDescriptor(fd: number, length: number, access: "read" | "write"): Mapping {
  const protection = access === "write" ? PROT_READ | PROT_WRITE : PROT_READ;
  const result = libc.mmap(0, length, protection, MAP_SHARED, fd, 0);
  // MAP_FAILED is (void *) -1; a user-space address never has its top bit set.
  if (result < 0) throw new SyscallError("mmap", lastErrno());
  const address = Number(result);
  // The address is that of a mapping of exactly this length.
  const bytes = bytesAt(address, length);
  return {
    address,
    bytes,
    unmap: () => {
      forgetBytes(bytes);
      checked("munmap", libc.munmap(address, length));
    },
  };
}
