/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The state of tasks, and of the agent. */
#ifndef SVC_STATE_H
#define SVC_STATE_H

#include "kernel.h"
#include "event.h"
#include "config.h"

/*
 * The state of the agent that runs, or ran. It is pinned, as all maps here that must outlive the
 * agent.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct svc_agent_state);
} agent SEC(".maps");

static __always_inline struct svc_agent_state *agent_state(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&agent, &first);
}

static __always_inline int agent_lives(void)
{
	struct svc_agent_state *state = agent_state();

	return state && bpf_ktime_get_ns() < state->heartbeat_ns + config.deadline_ns;
}

static __always_inline int is_among(__u64 kinds, __u8 kind)
{
	return (kinds >> (kind & 63)) & 1;
}

/*
 * The marks of every thread: a thread that calls execve becomes its group's leader, and replaces
 * the old leader's mark.
 */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct svc_protection);
} protections SEC(".maps");

/* A thread's own is that of its start; the leader's is that of a later registration. */
static __always_inline struct svc_protection *protection_of(struct task_struct *task)
{
	struct svc_protection *first = bpf_task_storage_get(&protections, task->group_leader, 0, 0);

	return first ? first : bpf_task_storage_get(&protections, task, 0, 0);
}

/* It belongs to an allowed program without a registration, which is protected and owns nothing. */
static __always_inline int is_only_trusted(const struct svc_protection *protection)
{
	return protection->flags & (SVC_TRUSTED | SVC_STARTING) && !protection->registration;
}

static __always_inline int runs_file_of_parent(struct task_struct *task)
{
	struct inode *own = task->mm->exe_file->f_inode;
	struct inode *parents = task->real_parent->mm->exe_file->f_inode;

	return own->i_ino == parents->i_ino && own->i_sb->s_dev == parents->i_sb->s_dev;
}

/* A helper that executes another file than its parent runs: its registration ends. */
static __always_inline int leaves_wrapper(struct task_struct *task,
					  const struct svc_protection *protection)
{
	return protection->flags & SVC_HELPER && !runs_file_of_parent(task);
}

#endif
