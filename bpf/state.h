/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The state of tasks, and of the agent. */
#ifndef SVC_STATE_H
#define SVC_STATE_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "siphash.h"
#include "typed.h"

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

/*
 * The variables by which the dynamic loader takes libraries (watch_loader.h) that a task began
 * with, if it has SVC_LOADER_KNOWN.
 */
struct loader_variables {
	/* The sum of the hashes of all, in any order. */
	__u64 hashes;
	enum {
		NO_VARIABLES,
		SOME_VARIABLES,
		/* They could not be read, or are too many. They equal no others. */
		UNKNOWN_VARIABLES,
	} state;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct loader_variables);
} loaders SEC(".maps");

/*
 * The key of the hashes. The first agent fills it with random bytes, and the next agents take it
 * over with the hashes.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct siphash_key);
} loader_key SEC(".maps");

/* As protection_of. NULL if they are not known. */
static __always_inline struct loader_variables *loader_of(struct task_struct *task)
{
	struct loader_variables *first = bpf_task_storage_get(&loaders, task->group_leader, 0, 0);

	return first ? first : bpf_task_storage_get(&loaders, task, 0, 0);
}

static __always_inline void set_loader(struct task_struct *task,
				       const struct loader_variables *variables)
{
	struct loader_variables given = *variables, *stored;

	stored = bpf_task_storage_get(&loaders, task, &given, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (stored)
		*stored = given;
}

/*
 * Marks that a new task should have inherited. The kernel refuses to make one while the processor
 * makes another: a kernel that preempts itself (preempt=full) interrupts that.
 */
struct task_key {
	__u64 start_ns;
	__u64 pid;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct task_key);
	__type(value, struct svc_protection);
} owed_marks SEC(".maps");

static __always_inline struct task_key key_of_task(struct task_struct *task)
{
	struct task_key key = {
		.start_ns = task->start_boottime,
		.pid = task->pid,
	};

	return key;
}

/* Returns an error if the mark is lost. */
static __always_inline long owe_mark(struct task_struct *task, const struct svc_protection *mark)
{
	struct task_key key = key_of_task(task);

	return bpf_map_update_elem(&owed_marks, &key, mark, BPF_ANY);
}

/* At a later moment the kernel makes the mark. */
static __always_inline struct svc_protection *give_owed_mark(struct task_struct *task)
{
	struct task_key key = key_of_task(task);
	struct svc_protection *owed = bpf_map_lookup_elem(&owed_marks, &key), *given;

	if (!owed)
		return 0;
	given = bpf_task_storage_get(&protections, task, owed, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (given)
		bpf_map_delete_elem(&owed_marks, &key);
	return given;
}

/* A thread's own is that of its start; the leader's is that of a later registration. */
static __always_inline struct svc_protection *protection_of(struct task_struct *task)
{
	struct svc_protection *first = bpf_task_storage_get(&protections, task->group_leader, 0, 0);
	struct svc_protection *own;

	if (first)
		return first;
	own = bpf_task_storage_get(&protections, task, 0, 0);
	return own ? own : give_owed_mark(task);
}

/* It belongs to an allowed program without a registration, which is protected and owns nothing. */
static __always_inline int is_only_trusted(const struct svc_protection *protection)
{
	return protection->flags & (SVC_TRUSTED | SVC_STARTING) && !protection->registration;
}

static __always_inline int runs_file_of_parent(struct task_struct *task)
{
	struct inode *own = to_read(task)->mm->exe_file->f_inode;
	struct inode *parents = to_read(task)->real_parent->mm->exe_file->f_inode;

	return own->i_ino == parents->i_ino && own->i_sb->s_dev == parents->i_sb->s_dev;
}

/* A helper that executes another file than its parent runs: its registration ends. */
static __always_inline int leaves_wrapper(struct task_struct *task,
					  const struct svc_protection *protection)
{
	return protection->flags & SVC_HELPER && !runs_file_of_parent(task);
}

#endif
