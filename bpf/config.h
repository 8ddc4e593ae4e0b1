/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Settings of the agent, and features of the running kernel. The verifier leaves out code that they
 * exclude.
 */
#ifndef SVC_CONFIG_H
#define SVC_CONFIG_H

#include "kernel.h"
#include "event.h"
#include "typed.h"

/* Set before the object is loaded. */
struct svc_config {
	/*
	 * watch_syscalls sees calls that reach for protected tasks. Without it Linux 6.14 is not
	 * needed.
	 */
	__u8 watch_targets;
	/*
	 * Changes of the kernel by any process are reported; else those by protected processes
	 * only.
	 */
	__u8 watch_node;
	/* Attempts on all processes go to the ring of everything. */
	__u8 log_all;
	/*
	 * The ptrace check reports requests for a file of /proc/PID. For kernels in which file_open
	 * and file_permission are not watched: those know which file it is, and an environment that
	 * no process reads.
	 */
	__u8 access_by_check;
	/* bpf_probe_read_kernel may be called: not under lockdown=confidentiality. */
	__u8 read_kernel;
	/*
	 * Without hooks: the use of a descriptor is watched, too, at its entry. An open that leads
	 * to a refused use is not an event.
	 */
	__u8 watch_uses;
	/*
	 * refuse_call is attached to the functions of the system calls, and refuses for
	 * watch_syscalls.
	 */
	__u8 override;
	/*
	 * watch_memory is attached: it sees a reader of memory by a file of /proc/PID when the
	 * memory is locked.
	 */
	__u8 watch_memory;
	/*
	 * Kinds of attempts that are to be stopped, 1 << enum svc_kind; none if the agent only
	 * looks.
	 */
	__u64 stopped;
	/* Those of them for which a process may be killed, if nothing refuses. */
	__u64 killed;
	/* As long as this after the last heartbeat the guards hold. */
	__u64 deadline_ns;
	/* The folder of the pins. */
	struct svc_inode pins;
	/* The mount namespace of the machine, which has the container runtimes. */
	__u32 mount_namespace;
	/*
	 * By which perf_event_open(2) puts probes into programs and into the kernel; 0 if it
	 * cannot.
	 */
	__u32 uprobe_type;
	__u32 kprobe_type;
	/* Attempts go through. Their events have the decision that enforcement would have taken. */
	__u8 dry_run;
	__u8 reserved[3];
};

/* In a separate section, so that the loader finds it. */
const volatile struct svc_config config SEC(".rodata.config") = {
	.watch_targets = 1,
	.watch_node = 1,
	.read_kernel = 1,
};

/* The agent does more than look. */
static __always_inline int is_stopping(void)
{
	return config.stopped != 0;
}

/* If it cannot be so, a program that asks for a task by its pid is refused. */
static __always_inline int has_task_of_pid(void)
{
	return has_casts();
}

/* There a task that only a pid leads to is read by its address: task_address.h. */
static __always_inline int has_task_addresses(void)
{
	return config.read_kernel && !has_task_of_pid();
}

#endif
