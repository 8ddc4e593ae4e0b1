/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * For kernels without hooks: system calls that reach for tasks, or change the kernel, at their
 * entry; and signals.
 */
#ifndef SVC_WATCH_SYSCALLS_H
#define SVC_WATCH_SYSCALLS_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "config.h"
#include "report.h"
#include "protection.h"
#include "runtimes.h"
#include "task_hooks.h"
#include "node_hooks.h"
#include "refuse_calls.h"
#include "guard_hooks.h"
#include "syscalls.h"
#include "watch_files.h"
#include "ring_openers.h"
#include "watch_uses.h"
#include "watch_rings.h"
#include "user_memory.h"

/* include/uapi/linux/perf_event.h: sample_type of struct perf_event_attr. */
#define PERF_SAMPLE_TYPE_OFFSET 24
#define PERF_FLAG_PID_CGROUP (1 << 2)

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

/* The caller takes a descriptor of this process. */
static __always_inline void take_ring_files(__u32 descriptor)
{
	struct task_struct *owner = task_of_descriptor(descriptor);

	if (!owner)
		return;
	hand_on_ring_files(owner, bpf_get_current_task_btf());
	bpf_task_release(owner);
}

static __always_inline int watch_ptrace(const struct call *call, struct sighting *seen)
{
	int request = first_argument(call);

	if (request == PTRACE_TRACEME) {
		seen->kind = SVC_KIND_TRACEME;
		seen->target = bpf_get_current_task_btf();
		return judge_traceme(seen->target->real_parent, seen);
	}
	if (request != PTRACE_ATTACH && request != PTRACE_SEIZE)
		return 0;
	seen->detail = request;
	return judge_and_release(task_of_caller(second_argument(call)), seen);
}

/*
 * A control group may have a protected process in it at any time, so that to sample one is as good
 * as to sample a processor. The caller still owns the attributes, and may exchange them until the
 * kernel has taken its copy. watch_results.h judges that.
 */
static __always_inline int watch_sampling(const struct call *call, struct sighting *seen)
{
	__u64 attributes = first_argument(call), samples = 0;
	int is_of_group = fifth_argument(call) & PERF_FLAG_PID_CGROUP;
	/* The argument of a group is a descriptor. */
	int target = is_of_group ? -1 : (int)second_argument(call);
	__u32 type = 0;
	__u8 kind;

	if (copy_from_caller(&type, sizeof(type), attributes) ||
	    copy_from_caller(&samples, sizeof(samples), attributes + PERF_SAMPLE_TYPE_OFFSET)) {
		/* Without a refusal the kernel's copy is judged: watch_results.h. */
		if (!config.override)
			return 0;
		kind = target == -1 ? SVC_KIND_CPU_SAMPLING : SVC_KIND_KERNEL_PROBE;
	} else {
		kind = perf_kind(type, samples, target != -1);
	}
	if (!kind)
		return judge_and_release(task_of_caller(target), seen);
	seen->kind = kind;
	return judge_node(seen);
}

static __always_inline int watch_target(const struct call *call, struct sighting *seen)
{
	int first = first_argument(call);
	int second = second_argument(call);
	int answer = 0;

	switch (call->kind) {
	case SVC_KIND_PTRACE:
		return watch_ptrace(call, seen);
	case SVC_KIND_PERF_OPEN:
		return watch_sampling(call, seen);
	case SVC_KIND_KCMP:
		answer = judge_and_release(task_of_caller(second), seen);
		break;
	case SVC_KIND_CORE_LIMIT:
		if (!is_core_limit(second) || !third_argument(call))
			return 0;
		break;
	case SVC_KIND_SETNS:
		if (is_runtime())
			return 0;
		return judge_and_release(task_of_descriptor(first), seen);
	case SVC_KIND_PIDFD_GETFD:
		take_ring_files(first);
		return judge_and_release(task_of_descriptor(first), seen);
	case SVC_KIND_MADVISE:
		return judge_and_release(task_of_descriptor(first), seen);
	}
	return judge_and_release(task_of_caller(first), seen) ?: answer;
}

static __always_inline int is_about_node(__u8 kind)
{
	return kind == SVC_KIND_BPF_LOAD || kind == SVC_KIND_MODULE_LOAD ||
	       kind == SVC_KIND_KEXEC || kind == SVC_KIND_SWAP_SPACE;
}

/* Of `union bpf_attr`, include/uapi/linux/bpf.h: prog_type, insn_cnt, insns. */
struct load_attributes {
	__u32 type;
	__u32 count;
	__u64 instructions;
};

/* The attributes and the instructions are the caller's still, as those of watch_sampling. */
static __always_inline int watch_load(__u64 attributes, struct sighting *seen)
{
	struct load_attributes asked = {};
	struct program_scan scan = {};
	enum knowledge knowledge = copy_from_caller(&asked, sizeof(asked), attributes);

	scan.instructions = asked.instructions;
	seen->is_spared = knowledge == KNOWN && is_ordinary_program(asked.type) &&
			  !(is_stopping() && reads_memory(&scan, asked.count));
	return judge_node(seen);
}

static __always_inline int watch_node(const struct call *call, struct sighting *seen)
{
	/* The kernel takes no more of an int than its bits. */
	int command = first_argument(call);

	if (call->kind != SVC_KIND_BPF_LOAD)
		return judge_node(seen);
	if (command != BPF_PROG_LOAD_COMMAND)
		return guard_command(command, second_argument(call), seen);
	return watch_load(second_argument(call), seen);
}

/*
 * At the entry of a system call, if it can be refused. watch_signals sees signals sent in other
 * ways.
 */
static __always_inline int watch_sending(const struct call *call, struct sighting *seen)
{
	int is_thread = names_thread(call);
	int target = is_thread ? second_argument(call) : first_argument(call);
	__u32 signal = is_thread ? third_argument(call) : second_argument(call);
	struct task_struct *task;
	int answer;

	if (!config.override || !signal)
		return 0;
	if (is_call_of(call, NATIVE_pidfd_send_signal, COMPAT_pidfd_send_signal))
		task = task_of_descriptor(target);
	else
		task = task_of_caller(target);
	if (!task)
		return 0;
	seen->target = task;
	answer = judge_signal(task, signal, seen);
	bpf_task_release(task);
	return answer;
}

/* As judge_long_table of watch_uses.h: not on the stack of the program. */
static __noinline int watch_call(const struct call *call)
{
	struct sighting seen = sighting_of(call);

	if (is_about_node(call->kind))
		return watch_node(call, &seen);
	if (call->kind == SVC_KIND_SIGNAL)
		return watch_sending(call, &seen);
	return config.watch_targets ? watch_target(call, &seen) : 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(watch_syscalls, struct pt_regs *regs, long id)
{
	struct call call = { .regs = regs };
	int answer;

	if (!recognise(&call, id) || call.kind == SVC_KIND_OPEN)
		return 0;
	if (call.kind == SVC_KIND_EXEC)
		return check_exec();
	if (is_use(call.kind))
		answer = is_looked_at(call.kind) ? watch_uses(&call) : 0;
	else if (call.kind == SVC_KIND_SIGNAL && !config.watch_uses)
		return 0;
	else
		answer = watch_call(&call);
	if (answer)
		refuse_this_call();
	return 0;
}

/* `info` is a number if the kernel has nothing to say, so it must not be followed. */
SEC("tp_btf/signal_generate")
int BPF_PROG(watch_signals, int signal, unsigned long info, struct task_struct *task)
{
	if (info != SEND_SIG_PRIV)
		check_signal(task, signal, SVC_MECHANISM_TRACING);
	return 0;
}

#endif
