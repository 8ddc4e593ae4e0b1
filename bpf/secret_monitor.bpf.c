// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Sees who reaches for protected tasks. Every program may be loaded without the others: a kernel that lacks a
 * hook lacks only what that hook sees.
 */
#include "kernel.h"
#include "event.h"
#include "syscall_x86.h"
#include "report.h"
#include "protection.h"

/* As the kernel reads it: its helpers are for such programs only. */
char LICENSE[] SEC("license") = "GPL";

SEC("tp_btf/sched_process_fork")
int BPF_PROG(inherit_on_fork, struct task_struct *parent, struct task_struct *child)
{
	inherit(parent, child);
	return 0;
}

static __always_inline int check_access(struct task_struct *child, unsigned int mode, __u8 mechanism)
{
	struct sighting seen = {
		.target = child,
		.kind = SVC_KIND_TASK_ACCESS,
		.mechanism = mechanism,
		.detail = mode,
		.syscall = -1,
	};

	count_run(mechanism);
	if (mode & PTRACE_MODE_NOAUDIT)
		return 0;
	judge(&seen);
	return 0;
}

SEC("lsm/ptrace_access_check")
int BPF_PROG(ptrace_access_check_lsm, struct task_struct *child, unsigned int mode, int ret)
{
	check_access(child, mode, SVC_MECHANISM_LSM);
	return ret;
}

SEC("fmod_ret/security_ptrace_access_check")
int BPF_PROG(ptrace_access_check_fmod_ret, struct task_struct *child, unsigned int mode, int ret)
{
	check_access(child, mode, SVC_MECHANISM_FMOD_RET);
	return ret;
}

/* The pid, in the initial namespace, of the process that a descriptor of the current task stands for. */
static __always_inline int pid_of_descriptor(__u32 fd)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd);
	struct file *file = 0;
	struct inode *inode;
	struct pid *pid;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return 0;
	if (bpf_probe_read_kernel(&file, sizeof(file), files + fd))
		return 0;
	inode = BPF_CORE_READ(file, f_inode);
	if (BPF_CORE_READ(inode, i_sb, s_magic) != PID_FS_MAGIC)
		return 0;
	pid = BPF_CORE_READ(inode, i_private);
	return BPF_CORE_READ(pid, numbers[0].nr);
}

static __always_inline struct task_struct *task_of_caller(int pid)
{
	return pid > 0 ? bpf_task_from_vpid(pid) : 0;
}

static __always_inline void judge_task(struct task_struct *target, struct sighting *seen)
{
	if (!target)
		return;
	seen->target = target;
	judge(seen);
	bpf_task_release(target);
}

static __always_inline void watch_target(const struct call *call, struct sighting *seen)
{
	int first = first_argument(call);
	int second = second_argument(call);

	switch (call->kind) {
	case SVC_KIND_PTRACE:
		if (first != PTRACE_ATTACH && first != PTRACE_SEIZE)
			return;
		seen->detail = first;
		return judge_task(task_of_caller(second), seen);
	case SVC_KIND_PERF_OPEN:
		return judge_task(task_of_caller(second), seen);
	case SVC_KIND_KCMP:
		judge_task(task_of_caller(first), seen);
		return judge_task(task_of_caller(second), seen);
	case SVC_KIND_PIDFD_GETFD:
	case SVC_KIND_MADVISE:
		first = pid_of_descriptor(first);
		return judge_task(first > 0 ? bpf_task_from_pid(first) : 0, seen);
	default:
		return judge_task(task_of_caller(first), seen);
	}
}

SEC("tp_btf/sys_enter")
int BPF_PROG(watch_syscalls, struct pt_regs *regs, long id)
{
	struct call call = { .regs = regs };
	struct task_struct *current;

	if (!recognise(&call, id))
		return 0;
	if (call.kind == SVC_KIND_EXEC) {
		/* A thread that was there before the registration becomes the leader. */
		current = bpf_get_current_task_btf();
		inherit(current->group_leader, current);
		return 0;
	}

	struct sighting seen = {
		.kind = call.kind,
		.mechanism = SVC_MECHANISM_TRACING,
		.abi = call.abi,
		.syscall = call.number,
	};

	if (call.kind < SVC_KIND_BPF_LOAD) {
		if (config.watch_targets)
			watch_target(&call, &seen);
	} else if (config.watch_node) {
		if (call.kind != SVC_KIND_BPF_LOAD || first_argument(&call) == BPF_PROG_LOAD_COMMAND)
			judge_node(&seen);
	}
	return 0;
}
