import { type BpfObject, ENOENT, SyscallError } from "@svc/kernel";
import { type Machine, machineOf } from "./machine.ts";

/**
 * System calls that `refuse_call` is attached to, by the names of the kernel's functions without
 * their prefixes. They are the calls that the object watches, except for those that open files: the
 * descriptors of these are refused when they are used.
 */
const calls = [
  ...["ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise"],
  ...["perf_event_open", "move_pages", "migrate_pages", "get_robust_list", "setns", "prlimit64"],
  ...["bpf", "init_module", "finit_module", "kexec_load", "kexec_file_load"],
  ...["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"],
  ...["read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev"],
  ...["preadv64", "pwritev64", "preadv2", "pwritev2", "preadv64v2", "pwritev64v2"],
  ...["sendfile", "sendfile64", "splice", "copy_file_range", "io_submit"],
  ...["mmap", "mmap_pgoff", "mmap2"],
];

/** The call that nothing makes by itself: kill(2). */
export function entryOfKill(machine: Machine = machineOf()): string {
  return `${machine.callPrefix}kill`;
}

/**
 * Attaches the program to every entry of the calls that this kernel has.
 *
 * @throws SyscallError if the kernel has none of them, or refuses one that it has
 */
export function attachToCalls(object: BpfObject, program: string): void {
  const { callPrefix, otherPrefixes } = machineOf();
  // Calls of 64-bit code: if the kernel has such a function, it must allow the override.
  const natives = calls.filter((call) => attach(object, program, `${callPrefix}${call}`, true));
  if (natives.length === 0) throw new SyscallError("bpf_program__attach_kprobe", ENOENT);
  for (const prefix of otherPrefixes) {
    for (const call of calls) attach(object, program, `${prefix}${call}`, false);
  }
}

/**
 * False if there is no such function, or only one that answers ENOSYS, which cannot be overridden.
 */
function attach(object: BpfObject, program: string, name: string, isNative: boolean): boolean {
  try {
    object.attachToFunction(program, name);
    return true;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (error.code === "ENOENT") return false;
    if (error.code === "EINVAL" && !isNative) return false;
    throw error;
  }
}
