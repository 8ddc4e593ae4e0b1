/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * For kernels without hooks that let functions of system calls be overridden. watch_syscalls runs
 * at the entry of all calls and may ask for tasks: it decides which call to refuse. The probe of
 * the call's function refuses it.
 */
#ifndef SVC_REFUSE_CALLS_H
#define SVC_REFUSE_CALLS_H

#include "kernel.h"
#include "event.h"
#include "report.h"
#include "decision.h"

/* The objection to the current task's call. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u32);
} refusals SEC(".maps");

static __always_inline void refuse_this_call(void)
{
	__u32 *refusal = bpf_task_storage_get(&refusals, bpf_get_current_task_btf(), 0,
					      BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (refusal)
		*refusal = 1;
	else
		kill_actor();
}

/* Ends the refusal; returns whether there was one. */
static __always_inline int take_refusal(void)
{
	__u32 *refusal = bpf_task_storage_get(&refusals, bpf_get_current_task_btf(), 0, 0);
	int was = refusal && *refusal;

	if (was)
		*refusal = 0;
	return was;
}

/* At the end of a call: its function has no probe, or the kernel left it out. */
static __always_inline int was_not_refused(void)
{
	return take_refusal();
}

/* The agent attaches it to the functions of the calls in calls.h. */
SEC("kprobe")
int refuse_call(struct pt_regs *ctx)
{
	count_run(SVC_MECHANISM_OVERRIDE);
	if (take_refusal())
		bpf_override_return(ctx, -EPERM);
	return 0;
}

#endif
