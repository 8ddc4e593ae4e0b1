import type { BpfMap } from "@svc/kernel";
import type { KernelInode } from "../kernel-inode.ts";
import { inodeBytes } from "../kernel-inode.ts";

// Flags of bpf/event.h: SVC_PROTECTED, SVC_EXEMPT, SVC_OWNER, SVC_BARE_ENVIRONMENT, SVC_HELPER and
// SVC_UNEXECUTED, SVC_LOADER_KNOWN.
const flags = {
  ...{ protect: 1, exempt: 2, own: 4, bareEnvironment: 8, helper: 16 | 64, loaderKnown: 1024 },
} as const;
// A wrapper has wiped the token out of its environment; in the agent's there is none.
const guarded = flags.protect | flags.bareEnvironment;

/** `struct svc_protection` of bpf/event.h. */
const MARK_BYTES = 16;

/**
 * Marks processes for the kernel, by descriptors of them: a pid may be another process's by then.
 */
export interface TaskMarks {
  /**
   * Attempts on the process are reported, and on all processes that it starts.
   *
   * @param environment `bare` if it holds no value: until the process executes a program,
   * reads of it are not reported
   * @throws SyscallError `ESRCH` of one that has ended
   */
  readonly protect: (pidfd: number, registration: bigint, environment?: "bare") => void;
  /**
   * The wrapper's operations on processes of that registration are not reported. It is protected
   * itself, because a process that controls it would have that permission, too. So are the
   * processes that it starts, as long as they run its own file. The kernel side ends the ownership
   * when the process executes another program; the protection stays.
   */
  readonly own: (pidfd: number, registration: bigint) => void;
  /** As the kernel side marks a child that a wrapper starts. */
  readonly markHelper: (pidfd: number, registration: bigint) => void;
  /** Its own operations are not reported. Attempts on it are. */
  readonly exempt: (pidfd: number) => void;
  /** The registration that it is protected by; undefined if there is none. */
  readonly protectedBy: (pidfd: number) => bigint | undefined;
  /** As protectedBy, of a wrapper. */
  readonly ownedBy: (pidfd: number) => bigint | undefined;
}

/**
 * Notes which regions of secrets are of which registration; `regions` is the object's map of that
 * name.
 */
export function keepRegions(
  regions: BpfMap,
  inodes: readonly KernelInode[],
  registration: bigint,
): void {
  const value = new Uint8Array(new BigUint64Array([registration]).buffer);
  for (const inode of inodes) regions.update(inodeBytes(inode), value);
}

/** @param protections the object's map of that name. */
export function taskMarks(protections: BpfMap): TaskMarks {
  const mark = (pidfd: number, flag: number, registration: bigint) =>
    protections.update(keyOf(pidfd), markBytes(flag, registration));
  return {
    protect: (pidfd, registration, environment) => {
      const bare = environment === "bare" ? flags.bareEnvironment : 0;
      // Keeps the flag that the kernel side has set at its start.
      const { flags: before = 0 } = readMark(protections, pidfd) ?? {};
      mark(pidfd, flags.protect | bare | (before & flags.loaderKnown), registration);
    },
    own: (pidfd, registration) => mark(pidfd, flags.own | guarded, registration),
    markHelper: (pidfd, registration) => mark(pidfd, flags.helper | guarded, registration),
    exempt: (pidfd) => mark(pidfd, flags.exempt | guarded, 0n),
    ownedBy: (pidfd) => {
      const mark = readMark(protections, pidfd);
      return hasFlag(mark, flags.own) ? mark?.registration : undefined;
    },
    protectedBy: (pidfd) => {
      const mark = readMark(protections, pidfd);
      return hasFlag(mark, flags.protect) ? mark?.registration : undefined;
    },
  };
}

function readMark(protections: BpfMap, pidfd: number) {
  const bytes = protections.lookup(keyOf(pidfd));
  if (bytes === undefined) return undefined;
  const mark = new DataView(bytes.buffer, bytes.byteOffset, MARK_BYTES);
  return {
    registration: mark.getBigUint64(0, true),
    flags: mark.getUint32(8, true),
  };
}

function hasFlag(mark: { readonly flags: number } | undefined, flag: number): boolean {
  return mark !== undefined && (mark.flags & flag) !== 0;
}

function keyOf(pidfd: number): Uint8Array {
  return new Uint8Array(new Int32Array([pidfd]).buffer);
}

function markBytes(flag: number, registration: bigint): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(MARK_BYTES));
  bytes.setBigUint64(0, registration, true);
  bytes.setUint32(8, flag, true);
  return new Uint8Array(bytes.buffer);
}
