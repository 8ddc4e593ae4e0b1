/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The kernel's constants that are macros there, which BTF does not have. */
#ifndef SVC_KERNEL_CONSTANTS_H
#define SVC_KERNEL_CONSTANTS_H

/*
 * include/linux/ptrace.h: the caller only wants to know, and a refusal is not an attempt (ps, top).
 */
#define PTRACE_MODE_NOAUDIT 0x04

/* By the credentials for files: the question comes from procfs. */
#define PTRACE_MODE_ATTACH 0x02
#define PTRACE_MODE_FSCREDS 0x08

/*
 * include/uapi/linux/magic.h; descriptors of processes have a separate file system since Linux
 * 6.9.
 */
#define PID_FS_MAGIC 0x50494446
#define PROC_SUPER_MAGIC 0x9fa0
#define SECRETMEM_MAGIC 0x5345434d
#define TRACEFS_MAGIC 0x74726163
#define TMPFS_MAGIC 0x01021994
#define BPF_FS_MAGIC 0xcafe4a11
#define DEBUGFS_MAGIC 0x64626720
#define ANON_INODE_FS_MAGIC 0x09041934

/* include/linux/sched.h: a thread of the kernel, also one that works for a process (io_uring). */
#define PF_IO_WORKER 0x10
#define PF_EXITING 0x4
#define PF_KTHREAD 0x200000

/* It has executed nothing since its fork. */
#define PF_FORKNOEXEC 0x40

/* include/linux/sched.h, of __state: its fork is not over. */
#define TASK_NEW 0x800

/*
 * include/linux/fs.h; O_PATH gives FMODE_PATH: a place in the file system, which nothing is read
 * by.
 */
#define FMODE_WRITE 2
#define FMODE_PATH 0x4000

/* include/uapi/linux/perf_event.h: registers and pieces of the stack of the interrupted task. */
#define PERF_SAMPLES_OF_MEMORY (1ull << 12 | 1ull << 13 | 1ull << 18)

/* include/uapi/asm-generic/mman-common.h */
#define MAP_ANONYMOUS 0x20

/* include/uapi/asm-generic/errno-base.h */
#define EPERM 1

/* include/uapi/asm-generic/signal.h */
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGSEGV 11
#define SIGTERM 15
#define SIGCONT 18
#define SIGSTOP 19
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGSYS 31

/* include/uapi/asm-generic/resource.h */
#define RLIMIT_CPU 0
#define RLIMIT_FSIZE 1
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_CORE 4
#define RLIMIT_AS 9
#define RLIMIT_RTTIME 15

#endif
