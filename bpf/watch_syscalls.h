/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Where no hook is: system calls that reach for tasks, or change the kernel, at their entry; and signals. */
#ifndef SVC_WATCH_SYSCALLS_H
#define SVC_WATCH_SYSCALLS_H

/* The process that a descriptor of the current task stands for. To be released. */
static __always_inline struct task_struct *task_of_descriptor(__u32 fd)
{
	struct inode *inode = BPF_CORE_READ(file_of_descriptor(fd), f_inode);
	struct pid *pid;

	if (BPF_CORE_READ(inode, i_sb, s_magic) != PID_FS_MAGIC)
		return 0;
	pid = BPF_CORE_READ(inode, i_private);
	return task_of_pid(BPF_CORE_READ(pid, numbers[0].nr));
}

static __always_inline void watch_ptrace(const struct call *call, struct sighting *seen)
{
	int request = first_argument(call);

	if (request == PTRACE_TRACEME) {
		seen->kind = SVC_KIND_TRACEME;
		seen->target = bpf_get_current_task_btf();
		judge_traceme(seen->target->real_parent, seen);
		return;
	}
	if (request != PTRACE_ATTACH && request != PTRACE_SEIZE)
		return;
	seen->detail = request;
	judge_and_release(task_of_caller(second_argument(call)), seen);
}

static __always_inline void watch_target(const struct call *call, struct sighting *seen)
{
	int first = first_argument(call);
	int second = second_argument(call);

	switch (call->kind) {
	case SVC_KIND_PTRACE:
		return watch_ptrace(call, seen);
	case SVC_KIND_PERF_OPEN:
		first = second;
		break;
	case SVC_KIND_KCMP:
		judge_and_release(task_of_caller(second), seen);
		break;
	case SVC_KIND_CORE_LIMIT:
		if (!is_core_limit(second) || !third_argument(call))
			return;
		break;
	case SVC_KIND_PIDFD_GETFD:
	case SVC_KIND_MADVISE:
	case SVC_KIND_SETNS:
		judge_and_release(task_of_descriptor(first), seen);
		return;
	}
	judge_and_release(task_of_caller(first), seen);
}

static __always_inline int is_about_node(__u8 kind)
{
	return kind == SVC_KIND_BPF_LOAD || kind == SVC_KIND_MODULE_LOAD || kind == SVC_KIND_KEXEC;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(watch_syscalls, struct pt_regs *regs, long id)
{
	struct call call = { .regs = regs };

	if (!recognise(&call, id) || call.kind == SVC_KIND_OPEN)
		return 0;
	if (call.kind == SVC_KIND_EXEC)
		return check_exec();

	struct sighting seen = {
		.kind = call.kind,
		.mechanism = SVC_MECHANISM_TRACING,
		.abi = call.abi,
		.syscall = call.number,
	};

	if (!is_about_node(call.kind)) {
		if (config.watch_targets)
			watch_target(&call, &seen);
	} else if (call.kind != SVC_KIND_BPF_LOAD || first_argument(&call) == BPF_PROG_LOAD_COMMAND) {
		judge_node(&seen);
	}
	return 0;
}

/* `info` is a number where the kernel has nothing to say, so it must not be followed. */
SEC("tp_btf/signal_generate")
int BPF_PROG(watch_signals, int signal, unsigned long info, struct task_struct *task)
{
	if (info != SEND_SIG_PRIV)
		check_signal(task, signal, SVC_MECHANISM_TRACING);
	return 0;
}

#endif
