/** System calls of the wrapper for one purpose. */
export interface CallGroup {
  readonly purpose: string;
  readonly names: readonly string[];
}

/**
 * Every system call of the wrapper, its couriers and the interposer, by purpose: the executable's
 * start, its host's, and those of the C library below. Some exist on one architecture only.
 * e2e/wrapper/seccomp-profile.test.ts runs the wrapper under a filter that kills for each other call.
 */
export const wrapperCalls: readonly CallGroup[] = [
  {
    purpose: "start, files and memory",
    names: [
      ...["access", "arch_prctl", "brk", "clock_gettime", "close", "close_range", "execve"],
      ...["exit", "exit_group", "faccessat", "faccessat2", "fcntl", "fstat", "fstatfs", "futex"],
      ...["getdents64", "getrandom", "getxattr", "ioctl", "lseek", "madvise", "mmap", "mprotect"],
      ...["mremap", "munmap", "newfstatat", "open", "openat", "pread64", "prlimit64", "pwrite64"],
      ...["read", "readlink", "readlinkat", "rseq", "sched_getaffinity", "sched_yield"],
      ...["set_robust_list", "set_tid_address", "statx", "write", "writev"],
    ],
  },
  {
    purpose: "memory for secrets",
    names: ["ftruncate", "memfd_create", "memfd_secret", "mlock", "mlock2", "munlock"],
  },
  {
    purpose: "processes and signals",
    names: [
      ...["clone", "clone3", "getegid", "geteuid", "getgid", "getpgid", "getpgrp", "getpid"],
      ...["getppid", "gettid", "getuid", "kill", "pidfd_open", "pipe2", "prctl", "rt_sigaction"],
      ...["rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn", "rt_sigtimedwait", "setpgid"],
      ...["sigaltstack", "signalfd4", "socketpair", "tgkill", "wait4", "waitid"],
    ],
  },
  {
    purpose: "the watchdog, and the end of a wrapper that cannot go on",
    names: ["clock_nanosleep", "nanosleep", "rt_sigpending", "timer_create", "timer_settime"],
  },
  {
    purpose: "the vault, probes and the agent",
    names: [
      ...["accept4", "bind", "connect", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_wait"],
      ...["eventfd2", "getpeername", "getsockname", "getsockopt", "listen", "poll", "ppoll"],
      ...["recvfrom", "recvmsg", "sendmsg", "sendto", "setsockopt", "shutdown", "socket"],
    ],
  },
  {
    purpose: "`inject`, and its following of programs",
    names: ["process_vm_readv", "process_vm_writev", "ptrace", "seccomp"],
  },
];
