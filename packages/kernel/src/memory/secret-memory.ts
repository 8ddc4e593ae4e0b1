import { architecture, libc } from "#native";
import { cString } from "../libc/c-strings.ts";
import { EFAULT, EINVAL, ENOSYS, EPERM } from "../libc/errno.ts";
import { isRefused } from "../libc/is-refused.ts";
import { checked, lastErrno, SyscallError } from "../libc/syscall-error.ts";
import { UnsupportedFeatureError } from "../libc/unsupported-feature-error.ts";
import { type Mapping, mapDescriptor } from "./mapping.ts";

// The number is the same on every architecture; memfd_secret(2).
const SYS_MEMFD_SECRET = 447;
const O_CLOEXEC = 0o2000000;
const MFD_CLOEXEC = 1;
const MFD_ALLOW_SEALING = 2;
const MFD_NOEXEC_SEAL = 8;
const O_RDWR = 2;
const O_EXCL = 0o200;
// asm-generic/fcntl.h: with O_DIRECTORY, of which arm64 has another one.
const O_TMPFILE = 0o20000000 | (architecture === "arm64" ? 0o40000 : 0o200000);
const FOR_OWNER = 0o600;
/** They are usually in memory. */
const scratchFolders = ["/dev/shm", "/run", "/tmp"] as const;
const F_ADD_SEALS = 1033;
// F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW
const SIZE_SEALS = 7;

/** Memory of memfd_secret(2), or of memfd_create(2) if the kernel has no memfd_secret. */
export type SecretMemoryKind = "memfd_secret" | "memfd";

/** A descriptor of memory for secrets, close-on-exec, of size zero. */
export interface SecretMemory {
  readonly fd: number;
  readonly kind: SecretMemoryKind;
}

/**
 * Makes memory that the kernel removes from its own direct map; memfd_secret(2).
 *
 * @throws UnsupportedFeatureError if the kernel is older than 5.14, was built without it, or
 * (before 6.5) was booted without `secretmem.enable=1` (ENOSYS), or a seccomp filter forbids it
 * (EPERM).
 * @throws SyscallError if the kernel has it and cannot give any now.
 */
export function createSecretMemory(): SecretMemory {
  const fd = Number(libc.syscall(SYS_MEMFD_SECRET, O_CLOEXEC, 0, 0, 0, 0, 0));
  if (fd >= 0) return { fd, kind: "memfd_secret" };
  const errno = lastErrno();
  // Anything else (no descriptors left, no memory) does not justify less protection.
  if (errno !== ENOSYS && errno !== EPERM) throw new SyscallError("memfd_secret", errno);
  throw new UnsupportedFeatureError(
    "memfd_secret",
    "Linux 5.14, and secretmem.enable=1 on the kernel command line before 6.5",
    new SyscallError("memfd_secret", errno),
  );
}

/** The fallback: an ordinary memfd, to be locked when it is mapped; memfd_create(2). */
export function createPlainMemory(name: string): SecretMemory {
  const label = cString(name);
  const flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const fd = libc.memfd_create(label, flags | MFD_NOEXEC_SEAL);
  if (fd >= 0) return { fd, kind: "memfd" };
  // Kernels before 6.3 do not know MFD_NOEXEC_SEAL.
  if (lastErrno() !== EINVAL) throw new SyscallError("memfd_create", lastErrno());
  return { fd: checked("memfd_create", libc.memfd_create(label, flags)), kind: "memfd" };
}

/**
 * Memory for data without secrets: a memfd, or a file without a name if a filter refuses
 * memfd_create; open(2), O_TMPFILE. Close-on-exec, the caller owns it.
 */
export function createScratchMemory(name: string): number {
  try {
    return createPlainMemory(name).fd;
  } catch (error) {
    if (!(error instanceof SyscallError) || !isRefused(error.errno)) throw error;
    for (const folder of scratchFolders) {
      const fd = libc.open(cString(folder), O_RDWR | O_CLOEXEC | O_EXCL | O_TMPFILE, FOR_OWNER);
      if (fd >= 0) return fd;
    }
    throw error;
  }
}

/** How memory for secrets is mapped. */
export interface MapOptions {
  /**
   * Called if the pages of ordinary memory cannot be locked; they are mapped all the same.
   * Without it that is an error.
   */
  readonly onUnlocked?: (error: SyscallError, lengthBytes: number) => void;
  /**
   * Called if the limit of locked memory is reached; true if other memory was unlocked, so
   * that trying again may help.
   */
  readonly makeRoom?: () => boolean;
}

/**
 * Gives the memory its size, for ever, and maps it for writing. A memfd_secret takes its size once
 * only; of a process that reads the end of shortened ordinary memory dies of SIGBUS.
 *
 * @throws SyscallError `EAGAIN` from mmap, `EFAULT` from pread or `ENOMEM`/`EPERM` from mlock if
 * `length`
 * does not fit RLIMIT_MEMLOCK.
 */
export function sizeAndMap(
  memory: SecretMemory,
  length: number,
  options: MapOptions = {},
): Mapping {
  checked("ftruncate", libc.ftruncate(memory.fd, length));
  if (memory.kind === "memfd") checked("fcntl", libc.fcntl(memory.fd, F_ADD_SEALS, SIZE_SEALS));
  if (memory.kind === "memfd") return mapSecretMemory(memory, length, options);
  return withRoom(options, () => {
    const mapping = mapSecretMemory(memory, length);
    unmapUnless(mapping, () => takePages(mapping.bytes));
    return mapping;
  });
}

/** Maps, and once more if that has failed and room could be made. */
export function withRoom(options: Pick<MapOptions, "makeRoom">, map: () => Mapping): Mapping {
  try {
    return map();
  } catch (error) {
    if (!(error instanceof SyscallError) || options.makeRoom?.() !== true) throw error;
    return map();
  }
}

/**
 * Makes the kernel allocate every page now, by letting it copy zeroes there. Some kernels (6.1.192
 * of Debian) count the pages of a memfd_secret against RLIMIT_MEMLOCK only when they are touched.
 * They end a process that touches one too many with SIGBUS. The kernel itself gives up with EFAULT.
 * madvise(MADV_POPULATE_WRITE) refuses such memory.
 */
function takePages(bytes: Uint8Array): void {
  const zeroes = createScratchMemory("zeroes");
  try {
    checked("ftruncate", libc.ftruncate(zeroes, bytes.length));
    const taken = checked("pread", libc.pread(zeroes, bytes, bytes.length, 0));
    if (taken < bytes.length) throw new SyscallError("pread", EFAULT);
  } finally {
    checked("close", libc.close(zeroes));
  }
}

/**
 * Maps memory that has its size already for writing.
 *
 * @throws SyscallError as sizeAndMap.
 */
export function mapSecretMemory(
  memory: SecretMemory,
  length: number,
  options: MapOptions = {},
): Mapping {
  const { makeRoom, onUnlocked } = options;
  const map = () => mapDescriptor(memory.fd, length, "write");
  if (memory.kind === "memfd_secret") return withRoom(options, map);
  const mapping = map();
  const isLocked = () => libc.mlock(mapping.address, length) === 0;
  if (isLocked() || (makeRoom?.() === true && isLocked())) return mapping;
  const error = new SyscallError("mlock", lastErrno());
  if (onUnlocked !== undefined) onUnlocked(error, length);
  else {
    mapping.unmap();
    throw error;
  }
  return mapping;
}

function unmapUnless(mapping: Mapping, succeeds: () => unknown): void {
  try {
    succeeds();
  } catch (error) {
    mapping.unmap();
    throw error;
  }
}
