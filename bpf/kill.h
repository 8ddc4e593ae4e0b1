/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Ends a process that has reached for another one, and those that have its loot. */
#ifndef SVC_KILL_H
#define SVC_KILL_H

#include "kernel.h"
#include "event.h"
#include "typed.h"

/* The tasks of another process that have the actor's descriptors, or its memory. */
static __always_inline int shares_loot(struct task_struct *task, struct task_struct *actor)
{
	if (task->tgid == actor->tgid)
		return 0;
	task = to_read(task);
	actor = to_read(actor);
	return task->files == actor->files || (actor->mm && task->mm == actor->mm);
}

static __always_inline void kill_other(struct task_struct *task)
{
	struct task_struct *held = bpf_task_acquire(task);

	if (!held)
		return;
	bpf_send_signal_task(held, SIGKILL, PIDTYPE_TGID, 0);
	bpf_task_release(held);
}

/*
 * clone(2) with CLONE_FILES and without CLONE_THREAD: a descriptor that the actor opens is another
 * process's as well. Linux before 6.13 lets programs signal the current process only. A global
 * function, as ask_policies is.
 */
__noinline int kill_sharers(void)
{
	struct task_struct *actor = bpf_get_current_task_btf(), *task;
	struct bpf_iter_task all;

	if (LINUX_KERNEL_VERSION < KERNEL_VERSION(6, 13, 0))
		return 0;
	bpf_iter_task_new(&all, 0, BPF_TASK_ITER_ALL_THREADS);
	while ((task = bpf_iter_task_next(&all))) {
		if (shares_loot(task, actor))
			kill_other(task);
	}
	bpf_iter_task_destroy(&all);
	return 0;
}

/*
 * The current task's process. It dies before it is back in its own code; its other threads, and
 * other processes with its descriptors, a moment later.
 */
static __always_inline __u8 kill_actor(void)
{
	kill_sharers();
	return bpf_send_signal(SIGKILL) ? SVC_DECISION_FAILED : SVC_DECISION_KILLED;
}

#endif
