/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A hook of the kernel as two programs, of which one is attached. */
#ifndef SVC_HOOKS_H
#define SVC_HOOKS_H

#include "kernel.h"
#include "event.h"
#include "report.h"
#include "calls.h"
#include "syscalls.h"

/*
 * `answer` is an expression that knows the hook's first arguments and `mechanism`: 0, or the
 * refusal. A call that an earlier program has refused does not get here.
 */
#define HOOK(hook, answer, ...)                                   \
	SEC("lsm/" #hook)                                         \
	int BPF_PROG(hook##_lsm, __VA_ARGS__)                     \
	{                                                         \
		const __u8 mechanism = SVC_MECHANISM_LSM;         \
                                                                  \
		count_run(mechanism);                             \
		return answer;                                    \
	}                                                         \
                                                                  \
	SEC("fmod_ret/security_" #hook)                           \
	int BPF_PROG(hook##_fmod_ret, __VA_ARGS__)                \
	{                                                         \
		const __u8 mechanism = SVC_MECHANISM_FMOD_RET;    \
                                                                  \
		count_run(mechanism);                             \
		return answer;                                    \
	}

/* The call that led to a hook; a thread of the kernel's makes none. */
static __always_inline struct sighting sighting(__u8 kind, __u8 mechanism)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	struct sighting seen = {
		.kind = kind,
		.mechanism = mechanism,
		.syscall = -1,
	};
	long id = id_in(regs);

	if (task->flags & (PF_IO_WORKER | PF_KTHREAD))
		return seen;
	seen.syscall = number_of(id);
	seen.abi = abi_of(regs, id);
	return seen;
}

/*
 * The kind that tracing reports for the same attempt. Otherwise the detail keeps the hook's
 * argument.
 */
static __always_inline void name_by_call(struct sighting *seen)
{
	struct call call = {
		.regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf()),
		.number = seen->syscall,
		.abi = seen->abi,
	};
	__u32 number = seen->syscall;
	__u8 kind;

	if (number >= SYSCALLS)
		return;
	kind = seen->abi == SVC_ABI_COMPAT ? compat_kinds[number] : native_kinds[number];
	switch (kind) {
	case SVC_KIND_PTRACE:
		number = first_argument(&call);
		if (number != PTRACE_ATTACH && number != PTRACE_SEIZE)
			return;
		seen->kind = kind;
		seen->detail = number;
		return;
	case SVC_KIND_VM_READ:
	case SVC_KIND_VM_WRITE:
	case SVC_KIND_PIDFD_GETFD:
	case SVC_KIND_KCMP:
	case SVC_KIND_MADVISE:
	case SVC_KIND_MOVE_PAGES:
	case SVC_KIND_MIGRATE_PAGES:
	case SVC_KIND_ROBUST_LIST:
	case SVC_KIND_SETNS:
		seen->kind = kind;
		seen->detail = 0;
	}
}

static __always_inline int is_call(const struct sighting *seen, int native, int compat)
{
	return seen->syscall == (seen->abi == SVC_ABI_COMPAT ? compat : native);
}

#endif
