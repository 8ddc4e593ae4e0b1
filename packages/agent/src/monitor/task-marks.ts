import type { BpfMap } from "@svc/kernel";

// Of bpf/event.h: SVC_PROTECTED, SVC_EXEMPT, SVC_OWNER.
const flags = { protect: 1, exempt: 2, own: 4 } as const;

/** `struct svc_protection` of bpf/event.h. */
const MARK_BYTES = 16;

/** Marks processes for the kernel, by descriptors of them: a pid may be another process's by then. */
export interface TaskMarks {
  /**
   * Events of whoever reaches for it are reported; the processes that it starts inherit that.
   *
   * @throws SyscallError `ESRCH` of one that has ended
   */
  readonly protect: (pidfd: number, registration: bigint) => void;
  /** What it does to processes of that registration is no event. */
  readonly own: (pidfd: number, registration: bigint) => void;
  /** What it does is no event. */
  readonly exempt: (pidfd: number) => void;
  /** Takes away what was said of it. */
  readonly clear: (pidfd: number) => void;
  readonly isProtected: (pidfd: number) => boolean;
}

/** @param protections the object's map of that name. */
export function taskMarks(protections: BpfMap): TaskMarks {
  const mark = (pidfd: number, flag: number, registration: bigint) =>
    protections.update(keyOf(pidfd), markBytes(flag, registration));
  return {
    protect: (pidfd, registration) => mark(pidfd, flags.protect, registration),
    own: (pidfd, registration) => mark(pidfd, flags.own, registration),
    exempt: (pidfd) => mark(pidfd, flags.exempt, 0n),
    clear: (pidfd) => void protections.delete(keyOf(pidfd)),
    isProtected: (pidfd) => protections.lookup(keyOf(pidfd))?.[8] === flags.protect,
  };
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
