/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which tasks are protected, and whether an attempt on one is a violation. */
#ifndef SVC_PROTECTION_H
#define SVC_PROTECTION_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "state.h"
#include "report.h"
#include "decision.h"

/* As protection_of, if it protects. */
static __always_inline struct svc_protection *shield_of(struct task_struct *task)
{
	struct svc_protection *protection = protection_of(task);

	return protection && protection->flags & SVC_PROTECTED ? protection : 0;
}

static __always_inline void inherit(struct task_struct *from, struct task_struct *to)
{
	struct svc_protection *protection = shield_of(from);
	struct svc_protection given, *stored;
	struct loader_variables *loader;

	if (!protection)
		return;
	given = *protection;
	if (given.flags & (SVC_OWNER | SVC_EXEMPT)) {
		/* Its threads have their leader's. */
		if (given.flags & SVC_EXEMPT || from->tgid == to->tgid)
			return;
		given.flags &= ~SVC_OWNER;
		given.flags |= SVC_HELPER;
	}
	if (from->tgid != to->tgid)
		given.flags |= SVC_UNEXECUTED;
	stored = bpf_task_storage_get(&protections, to, &given, BPF_LOCAL_STORAGE_GET_F_CREATE);
	loader = given.flags & SVC_LOADER_KNOWN ? loader_of(from) : 0;
	if (loader)
		set_loader(to, loader);
	if (!stored) {
		if (owe_mark(to, &given))
			count_dropped(SVC_RING_VIOLATIONS, SVC_KIND_NONE);
		return;
	}
	given.flags |= stored->flags & SVC_REACHED;
	*stored = given;
}

/*
 * As shield_of, of a target. A child can be found by its number before the kernel says that there
 * is a child (sched_process_fork), and so before it has its mark.
 */
static __always_inline struct svc_protection *shield_of_target(struct task_struct *task)
{
	if (task->__state & TASK_NEW)
		inherit(task->real_parent, task);
	return shield_of(task);
}

/* An agent; one that has ended as well as the one that runs. */
static __always_inline int is_agent(struct task_struct *task)
{
	struct svc_protection *protection = protection_of(task);

	return protection && protection->flags & SVC_EXEMPT;
}

static __always_inline int is_exempt(void)
{
	return is_agent(bpf_get_current_task_btf());
}

/* True of a wrapper, of its registered tasks, and of exempt tasks. */
static __always_inline int may_reach(const struct svc_protection *own, __u64 registration)
{
	if (!own)
		return 0;
	if (own->flags & SVC_EXEMPT)
		return 1;
	return own->flags & SVC_OWNER && own->registration == registration;
}

/* Processes of one program end and limit each other: PostgreSQL's do so by SIGQUIT. */
static __always_inline int is_of_the_family(const struct sighting *seen,
					    const struct svc_protection *own)
{
	if (seen->kind != SVC_KIND_CORE_SIGNAL && seen->kind != SVC_KIND_CORE_LIMIT)
		return 0;
	return own && own->flags & SVC_PROTECTED && own->registration == seen->registration;
}

/*
 * It opens an environment that holds nothing, or sends a signal to a wrapper, the agent or an
 * allowed tool, which SIGQUIT and SIGABRT are ordinary ones for (STOPSIGNAL, WatchdogSec).
 */
static __always_inline int is_idle(const struct sighting *seen, const struct svc_protection *shield)
{
	if (seen->kind == SVC_KIND_CORE_SIGNAL)
		return shield->flags & (SVC_OWNER | SVC_EXEMPT) || is_only_trusted(shield);
	return seen->kind == SVC_KIND_PROCESS_FILE && seen->detail == SVC_FILE_ENVIRON &&
	       shield->flags & SVC_BARE_ENVIRONMENT;
}

/* The current task reaches for a process, by its tgid; without a shield it is not protected. */
static __always_inline int judge_shielded(struct sighting *seen,
					  const struct svc_protection *shield, int tgid)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct svc_protection *own = protection_of(current);

	seen->registration = shield ? shield->registration : 0;
	if (may_reach(own, seen->registration))
		return 0;
	if (!shield || tgid == current->tgid || is_idle(seen, shield) ||
	    is_of_the_family(seen, own)) {
		if (config.log_all)
			report_to_everything(seen);
		return 0;
	}
	seen->target_tgid = tgid;
	return violate(seen);
}

/* Attempts by which other code gets into a process. */
static __always_inline int changes_process(const struct sighting *seen)
{
	switch (seen->kind) {
	case SVC_KIND_PTRACE:
	case SVC_KIND_VM_WRITE:
		return 1;
	case SVC_KIND_TASK_ACCESS:
		return seen->detail & PTRACE_MODE_ATTACH;
	case SVC_KIND_PROCESS_FILE:
		return seen->detail & SVC_FILE_WRITTEN;
	}
	return 0;
}

/* It is a violation, and goes through. A process that is sent a SIGKILL gets no access. */
static __always_inline int goes_through(const struct sighting *seen)
{
	return seen->is_violation && seen->decision != SVC_DECISION_BLOCKED &&
	       seen->decision != SVC_DECISION_KILLED;
}

/*
 * A child that an allowed tool traces before it executes a program, as debuggers do. Both have the
 * same file and the same policies.
 */
static __always_inline int is_fork_of_tool(const struct svc_protection *shield,
					   struct task_struct *child, struct task_struct *tool)
{
	struct svc_protection *own;

	if (!shield || !is_only_trusted(shield) || to_read(child)->real_parent->tgid != tool->tgid)
		return 0;
	own = protection_of(tool);
	return own && is_only_trusted(own) && runs_file_of_parent(child);
}

/* The current task reaches for the target. Returns the answer of the hook. */
static __always_inline int judge(struct sighting *seen)
{
	struct svc_protection *shield = shield_of_target(seen->target);
	int answer;

	if (!shield && !config.log_all)
		return 0;
	if (is_fork_of_tool(shield, seen->target, bpf_get_current_task_btf()))
		return 0;
	answer = judge_shielded(seen, shield, seen->target->tgid);
	if (shield && shield->flags & SVC_TRUSTED && goes_through(seen) && changes_process(seen))
		shield->flags |= SVC_REACHED;
	return answer;
}

/* The current task changes the code that the kernel runs. Returns the answer of the hook. */
static __always_inline int judge_node(struct sighting *seen)
{
	struct svc_protection *own = protection_of(bpf_get_current_task_btf());

	if (own && own->flags & SVC_EXEMPT)
		return 0;
	if (!config.watch_node && !(own && own->flags & SVC_PROTECTED))
		return 0;
	return violate_node(seen);
}

/* The current task lets its parent trace it. Returns the answer of the hook. */
static __always_inline int judge_traceme(struct task_struct *parent, struct sighting *seen)
{
	struct svc_protection *shield = shield_of(seen->target);

	if (!shield || may_reach(protection_of(parent), shield->registration) ||
	    is_fork_of_tool(shield, seen->target, parent))
		return 0;
	seen->registration = shield->registration;
	return violate(seen);
}

/* A task by its pid in the initial namespace, to be released. */
static __always_inline struct task_struct *task_of_pid(int pid)
{
	return pid > 0 ? bpf_task_from_pid(pid) : 0;
}

/*
 * As task_of_pid, of the caller's namespace; from Linux 6.14 on of any, before of the initial one.
 */
static __always_inline struct task_struct *task_of_caller(int pid)
{
	if (LINUX_KERNEL_VERSION < KERNEL_VERSION(6, 14, 0))
		return to_read(bpf_get_current_task_btf())->thread_pid->level ? 0 : task_of_pid(pid);
	return pid > 0 ? bpf_task_from_vpid(pid) : 0;
}

/* Takes the task, which may be NULL. */
static __always_inline int judge_and_release(struct task_struct *target, struct sighting *seen)
{
	int answer;

	if (!target)
		return 0;
	seen->target = target;
	answer = judge(seen);
	bpf_task_release(target);
	return answer;
}

#endif
