/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Which tasks are protected, and whether an attempt on one is a violation. */
#ifndef SVC_PROTECTION_H
#define SVC_PROTECTION_H

/* Of every thread, for one that calls execve becomes its group's leader, and the old leader's goes with it. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct svc_protection);
} protections SEC(".maps");

/* In a section of its own, so that the loader knows where it is. */
const volatile struct svc_config config SEC(".rodata.config") = {
	.watch_targets = 1,
	.watch_node = 1,
	.read_kernel = 1,
};

/* Threads that were there at the registration have their leader's. */
static __always_inline struct svc_protection *protection_of(struct task_struct *task)
{
	struct svc_protection *own = bpf_task_storage_get(&protections, task, 0, 0);

	return own ? own : bpf_task_storage_get(&protections, task->group_leader, 0, 0);
}

static __always_inline void inherit(struct task_struct *from, struct task_struct *to)
{
	struct svc_protection *protection = protection_of(from);

	if (!protection || !(protection->flags & SVC_PROTECTED))
		return;
	if (!bpf_task_storage_get(&protections, to, protection, BPF_LOCAL_STORAGE_GET_F_CREATE))
		count_dropped(SVC_RING_VIOLATIONS, SVC_KIND_NONE);
}

static __always_inline int is_exempt(void)
{
	struct svc_protection *own = protection_of(bpf_get_current_task_btf());

	return own && own->flags & SVC_EXEMPT;
}

/* The current task reaches for the target. */
static __always_inline void judge(struct sighting *seen)
{
	struct svc_protection *protection = protection_of(seen->target);
	int protected = protection && protection->flags & SVC_PROTECTED;
	int own = seen->target->tgid == bpf_get_current_task_btf()->tgid;

	if (!protected && !config.log_all)
		return;
	if (is_exempt())
		return;
	seen->registration = protected ? protection->registration : 0;
	if (protected && !own)
		report_violation(seen);
	if (config.log_all)
		report_to_everything(seen);
}

/* The current task changes what the kernel runs. */
static __always_inline void judge_node(struct sighting *seen)
{
	if (is_exempt())
		return;
	report_violation(seen);
	if (config.log_all)
		report_to_everything(seen);
}

#endif
