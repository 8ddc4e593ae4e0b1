/**
 * System calls that the kernel side of the agent knows, by their kinds in bpf/event.h and
 * bpf/calls.h (`SVC_KIND_*`). The names are the kernel's, also those of 32-bit code. No
 * architecture has all of them.
 */
export const watchedCalls = {
  EXEC: ["execve", "execveat"],
  PTRACE: ["ptrace"],
  VM_READ: ["process_vm_readv"],
  VM_WRITE: ["process_vm_writev"],
  PIDFD_GETFD: ["pidfd_getfd"],
  KCMP: ["kcmp"],
  MADVISE: ["process_madvise"],
  PERF_OPEN: ["perf_event_open"],
  MOVE_PAGES: ["move_pages"],
  MIGRATE_PAGES: ["migrate_pages"],
  ROBUST_LIST: ["get_robust_list"],
  SETNS: ["setns"],
  CORE_LIMIT: ["prlimit64"],
  BPF_LOAD: ["bpf"],
  MODULE_LOAD: ["init_module", "finit_module"],
  SWAP_SPACE: ["swapon"],
  KEXEC: ["kexec_load", "kexec_file_load"],
  // Their results are looked at when they are over.
  OPEN: ["open", "creat", "openat", "openat2", "open_by_handle_at"],
  // Each has a descriptor that is read from, or written to.
  USE: [
    ...["read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev"],
    ...["preadv2", "pwritev2", "sendfile", "sendfile64", "splice", "copy_file_range"],
  ],
  MAP: ["mmap", "mmap2"],
  // Its requests have the descriptors.
  SUBMIT: ["io_submit"],
  // They may give descriptors to another process.
  PASS: ["sendmsg", "sendmmsg", "socketcall"],
  SIGNAL: [
    ...["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"],
    "pidfd_send_signal",
  ],
  // Nothing is done about them. A hook asks whether it was one of them that led to it.
  NONE: ["readlink", "readlinkat", "io_uring_enter"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
