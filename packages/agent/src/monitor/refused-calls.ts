import { type BpfObject, SyscallError } from "@svc/kernel";

/**
 * System calls that `refuse_call` is attached to, as the kernel's functions are named behind their prefixes: those of
 * bpf/syscall_x86.h but for what opens files, whose descriptors are refused when they are used.
 */
const calls = [
  ...["ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise"],
  ...["perf_event_open", "move_pages", "migrate_pages", "get_robust_list", "setns", "prlimit64"],
  ...["bpf", "init_module", "finit_module", "kexec_load", "kexec_file_load"],
  ...["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal"],
  ...["read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev"],
  ...["preadv64", "pwritev64", "preadv2", "pwritev2", "preadv64v2", "pwritev64v2"],
  ...["sendfile", "sendfile64", "splice", "copy_file_range", "mmap", "mmap_pgoff"],
];

/** Of 64-bit code: where the kernel has such a function, it has to let it be overridden. */
const NATIVE = "__x64_sys_";

/** By which x32 and 32-bit code comes to them: arch/x86/include/asm/syscall_wrapper.h, sys_ia32.c. */
const others = [
  ...["__x64_compat_sys_", "__ia32_sys_", "__ia32_compat_sys_"],
  ...["__ia32_sys_ia32_", "__ia32_compat_sys_ia32_"],
];

/**
 * Attaches the program to every entry of the calls that this kernel has.
 *
 * @throws SyscallError where the kernel has none of them, or refuses one that it has
 */
export function attachToCalls(object: BpfObject, program: string): void {
  const natives = calls.filter((call) => attach(object, program, `${NATIVE}${call}`));
  if (natives.length === 0) throw new SyscallError("bpf_program__attach_kprobe", ENOENT);
  for (const prefix of others) {
    for (const call of calls) attach(object, program, `${prefix}${call}`);
  }
}

const ENOENT = 2;

/** False where there is no such function, or only what answers ENOSYS: that cannot be overridden. */
function attach(object: BpfObject, program: string, name: string): boolean {
  try {
    object.attachToFunction(program, name);
    return true;
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    if (error.code === "ENOENT") return false;
    if (error.code === "EINVAL" && !name.startsWith(NATIVE)) return false;
    throw error;
  }
}
