/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The layout of events, which the kernel side of the agent and its readers share. Every change of
 * the layout is a new SVC_EVENT_VERSION; packages/agent/src/events reads it.
 */
#ifndef SVC_EVENT_H
#define SVC_EVENT_H

#include <stddef.h>
#include <linux/types.h>

#define SVC_EVENT_VERSION 2
#define SVC_COMM_BYTES 16
#define SVC_EXE_NAME_BYTES 48

enum svc_kind {
	/* No event: counts tasks that should have inherited their protection and could not. */
	SVC_KIND_NONE,
	/* A process reaches for another one. */
	SVC_KIND_PTRACE,
	SVC_KIND_VM_READ,
	SVC_KIND_VM_WRITE,
	SVC_KIND_PIDFD_GETFD,
	SVC_KIND_KCMP,
	SVC_KIND_MADVISE,
	SVC_KIND_PERF_OPEN,
	/*
	 * Any way that asks for the kernel's ptrace check: the above, /proc/PID/mem, environ, maps,
	 * fd ...
	 */
	SVC_KIND_TASK_ACCESS,
	/* A process changes the code that the kernel runs: it has no target. */
	SVC_KIND_BPF_LOAD,
	SVC_KIND_MODULE_LOAD,
	SVC_KIND_KEXEC,
	/* More ways to reach for a process. */
	SVC_KIND_TRACEME,
	SVC_KIND_MOVE_PAGES,
	SVC_KIND_MIGRATE_PAGES,
	SVC_KIND_ROBUST_LIST,
	SVC_KIND_SETNS,
	/* A file of /proc/PID; the detail says which, and how. */
	SVC_KIND_PROCESS_FILE,
	/* A signal that ends it with a core dump, and a limit that allows one. */
	SVC_KIND_CORE_SIGNAL,
	SVC_KIND_CORE_LIMIT,
	/*
	 * A process without a registration was given a descriptor of secret memory. There is no
	 * target.
	 */
	SVC_KIND_SECRET_DESCRIPTOR,
	/* More ways to change the kernel, or to read its memory: it has no target. */
	SVC_KIND_KERNEL_FILE,
	SVC_KIND_KERNEL_MEMORY,
	SVC_KIND_KERNEL_PROBE,
	SVC_KIND_HIBERNATION,
	/*
	 * A processor is sampled, with registers or stacks of all processes that run on it: it has
	 * no target.
	 */
	SVC_KIND_CPU_SAMPLING,
	/*
	 * A process reaches for a map, a pin or the process of the agent. The detail says for
	 * which.
	 */
	SVC_KIND_AGENT_TAMPERING,
	/*
	 * A process took over the programs and maps that an agent left in the kernel when it ended.
	 */
	SVC_KIND_AGENT_ADOPTION,
	/*
	 * A child of a protected program begins with other libraries put into it than that. The
	 * target is the child.
	 */
	SVC_KIND_LOADER,
	/* Memory may be written to another file or disk from now on: it has no target. */
	SVC_KIND_SWAP_SPACE,
	/*
	 * The file of the token that a wrapper logs in with is opened by another process: there is
	 * no target.
	 */
	SVC_KIND_TOKEN_FILE,
	SVC_KINDS,
};

/* Room for kinds in maps that outlive the program that made them. */
#define SVC_KINDS_MAX 64

enum svc_mechanism {
	SVC_MECHANISM_LSM = 1,
	SVC_MECHANISM_FMOD_RET,
	SVC_MECHANISM_TRACING,
	SVC_MECHANISM_OVERRIDE,
	SVC_MECHANISMS,
};

enum svc_decision {
	SVC_DECISION_OBSERVED = 1,
	/* The call was refused. */
	SVC_DECISION_BLOCKED,
	/* SIGKILL was sent to the caller. */
	SVC_DECISION_KILLED,
	/* SIGKILL was to be sent, and could not be. */
	SVC_DECISION_FAILED,
	/* A policy allows it. */
	SVC_DECISION_ALLOWED,
	/* A dry run: it went through, and would have been refused, or killed for. */
	SVC_DECISION_WOULD_BLOCK,
	SVC_DECISION_WOULD_KILL,
};

enum svc_process_file {
	SVC_FILE_NONE,
	SVC_FILE_MEM,
	SVC_FILE_ENVIRON,
	SVC_FILE_MAPS,
	SVC_FILE_SMAPS,
	SVC_FILE_NUMA_MAPS,
	SVC_FILE_PAGEMAP,
	SVC_FILE_AUXV,
	SVC_FILE_STACK,
	SVC_FILE_SYSCALL,
	SVC_FILE_PERSONALITY,
	/* The next files matter only when they are opened for writing. */
	SVC_FILE_COREDUMP_FILTER,
	SVC_FILE_CLEAR_REFS,
	SVC_FILE_OOM_SCORE_ADJ,
	/* Mapped files, by their links: shared memory is a file, and may have no other name. */
	SVC_FILE_MAP_FILES,
	SVC_PROCESS_FILES,
};

#define SVC_FILE_WRITTEN 0x100

/* Settings of the kernel that others' secrets depend on, opened to be written. */
enum svc_kernel_file {
	SVC_KERNEL_CORE_PATTERN = 1,
	SVC_KERNEL_CORE_PIPE_LIMIT,
	SVC_KERNEL_SUID_DUMPABLE,
	SVC_KERNEL_PTRACE_SCOPE,
	SVC_KERNEL_KPTR_RESTRICT,
	SVC_KERNEL_PERF_PARANOID,
	SVC_KERNEL_UNPRIVILEGED_BPF,
	SVC_KERNEL_MODPROBE,
	SVC_KERNEL_SYSRQ_TRIGGER,
	/* tracefs: probes in programs and in the kernel. */
	SVC_KERNEL_UPROBE_EVENTS,
	SVC_KERNEL_KPROBE_EVENTS,
	SVC_KERNEL_DYNAMIC_EVENTS,
	/*
	 * Whether the kernel calls programs attached to its functions, such as hooks of LSM, and
	 * probes.
	 */
	SVC_KERNEL_FTRACE_ENABLED,
	SVC_KERNEL_KPROBES_ENABLED,
	SVC_KERNEL_KPROBES_OPTIMIZATION,
	/* By these the kernel, or the loader, runs code of another process's choice. */
	SVC_KERNEL_HOTPLUG,
	SVC_KERNEL_POWEROFF_CMD,
	SVC_KERNEL_USERMODEHELPER,
	SVC_KERNEL_MODULE_PROGRAM,
	SVC_KERNEL_UEVENT_HELPER,
	SVC_KERNEL_RELEASE_AGENT,
	SVC_KERNEL_BINFMT_MISC,
	SVC_KERNEL_LD_SO_PRELOAD,
};

enum svc_kernel_memory {
	SVC_MEMORY_DEV_MEM = 1,
	SVC_MEMORY_KCORE,
	SVC_MEMORY_IOPORT,
	SVC_MEMORY_MSR,
	SVC_MEMORY_PCI,
};

/* The part of the agent that a process reached for. */
enum svc_tampering {
	SVC_TAMPERING_SIGNAL = 1,
	SVC_TAMPERING_LIMIT,
	SVC_TAMPERING_MAP,
	SVC_TAMPERING_PIN,
	SVC_TAMPERING_MOUNT,
};

/* The other code that a process begins with. */
enum svc_loader {
	/* By LD_PRELOAD or LD_AUDIT. */
	SVC_LOADER_VARIABLES,
	/* An interpreter in place of the program: binfmt_misc. */
	SVC_LOADER_INTERPRETER,
};

/* By which numbers a system call was called. */
enum svc_abi {
	SVC_ABI_NATIVE,
	SVC_ABI_COMPAT,
	SVC_ABI_X32,
};

enum svc_ring {
	SVC_RING_VIOLATIONS,
	SVC_RING_EVERYTHING,
	SVC_RINGS,
};

/*
 * One event. No argument's content is ever in it. Pids and uids are those of the initial
 * namespaces.
 */
struct svc_event {
	__u16 version;
	__u16 size;
	__u8 kind;
	__u8 mechanism;
	__u8 decision;
	__u8 abi;
	__u64 boot_ns;
	/*
	 * The number in its ring, from 0. A missing number was dropped. Numbers of two processors
	 * may be swapped.
	 */
	__u64 sequence;
	/* The registration of the target; 0 if it has none. */
	__u64 registration;
	__s32 syscall;
	/*
	 * The meaning depends on the kind. ptrace: the request. Task access: the bits
	 * PTRACE_MODE_*. Process file: enum svc_process_file and SVC_FILE_WRITTEN. Kernel file:
	 * enum svc_kernel_file. Kernel memory: enum svc_kernel_memory. Core signal: the signal.
	 * Agent tampering: enum svc_tampering. Loader: enum svc_loader. Others: 0.
	 */
	__u32 detail;
	__u32 actor_pid;
	__u32 actor_tid;
	__u32 actor_ppid;
	__u32 actor_uid;
	__u64 actor_start_ns;
	__u64 actor_cgroup;
	/* The file that the actor runs; 0 for a thread of the kernel. */
	__u64 actor_exe_inode;
	__u32 actor_exe_device;
	__u32 target_tid;
	__u32 target_pid;
	/* The policy that let it through; 0 if there is none. */
	__u32 policy;
	__u64 target_start_ns;
	__u64 target_cgroup;
	char actor_comm[SVC_COMM_BYTES];
	/*
	 * Since version 2: the name of the file that the actor runs, without folders. Zeros behind
	 * it. A name that fills the room has lost its end. Empty if lockdown=confidentiality
	 * forbids to read it.
	 */
	char actor_exe_name[SVC_EXE_NAME_BYTES];
};

_Static_assert(sizeof(struct svc_event) == 176, "an event is 176 bytes");
_Static_assert(offsetof(struct svc_event, actor_exe_name) == 128, "version 1 ends there");
_Static_assert(offsetof(struct svc_event, boot_ns) == 8, "no padding before the time");
_Static_assert(offsetof(struct svc_event, actor_start_ns) == 56, "no padding inside of the actor");
_Static_assert(offsetof(struct svc_event, target_start_ns) == 96,
	       "no padding inside of the target");

/*
 * The facts about one task. The agent writes them through a pidfd. The kernel frees them with the
 * task.
 */
struct svc_protection {
	__u64 registration;
	__u32 flags;
	/* Agents before had a hash there. */
	__u32 reserved;
};

/* The kernel side reports each process that reaches for this task. Children inherit the flag. */
#define SVC_PROTECTED 1
/* The kernel side does not report the actions of this task. Children inherit nothing. */
#define SVC_EXEMPT 2
/*
 * A wrapper. Its actions on tasks of the same registration are not reported, so that it can trace
 * its program at the start and signal it. Its children are SVC_HELPER instead. The flag ends when
 * the task executes a program.
 */
#define SVC_OWNER 4
/*
 * Beside SVC_PROTECTED: its environment holds no value, so opening that is not reported (ps reads
 * the environment of every process). The program that it executes next does not inherit the flag,
 * because the parent chooses that environment.
 */
#define SVC_BARE_ENVIRONMENT 8
/*
 * Beside SVC_PROTECTED: a wrapper started the task and has not registered it. The flag ends when
 * the task executes another file than its parent runs. By then the wrapper has registered the task
 * to be protected.
 */
#define SVC_HELPER 16
/* Agents before wrote 32, with a hash of 32 bits. */
/* Written by the kernel side: it is a child that has executed nothing yet. */
#define SVC_UNEXECUTED 64

/*
 * Written by the kernel side: the task runs a file that a policy names, and no other process put
 * code into it at its start. It is protected as long as it runs that file, because a process that
 * takes it over gets its permissions. Without a registration this is its only protection.
 */
#define SVC_TRUSTED 128
/* Written by the kernel side: it executes such a file, and has not run an instruction of it. */
#define SVC_STARTING 256
/*
 * Beside SVC_TRUSTED: a process reached into it, and was not stopped. It is allowed nothing any
 * more.
 */
#define SVC_REACHED 512
/*
 * Written by the kernel side, when it executes its program: the loader's variables of its first
 * environment are known, watch_loader.h.
 */
#define SVC_LOADER_KNOWN 1024

/* A file, as the kernel knows it. */
struct svc_inode {
	__u64 number;
	__u32 device;
	__u32 reserved;
};

/*
 * The state of the running agent, in a map that outlives it. The guards of the kernel and of the
 * agent hold while the agent sends heartbeats. Without an agent they open after config.deadline_ns.
 */
struct svc_agent_state {
	/* By CLOCK_MONOTONIC, as a machine that sleeps has no agent either. */
	__u64 heartbeat_ns;
	/* Set by a break-glass: the guards are open until then. */
	__u64 open_until_ns;
	/* In the initial pid namespace; written by the kernel side. 0 if none runs. */
	__u32 agent_pid;
	__u32 reserved;
};

#endif
