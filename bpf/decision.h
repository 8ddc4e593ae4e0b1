/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What is done about a violation. */
#ifndef SVC_DECISION_H
#define SVC_DECISION_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "config.h"
#include "report.h"

/* Of the agent that runs, or ran. Pinned, as everything here that is to outlive it. */
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

/*
 * False where the glass is broken, and where no agent's heart has beaten for long: what is of no registered program then is
 * only told of, and a machine without an agent can be administered.
 */
static __always_inline int guards_hold(void)
{
	struct svc_agent_state *state = agent_state();
	__u64 now = bpf_ktime_get_ns();

	return state && now < state->heartbeat_ns + config.deadline_ns && now >= state->open_until_ns;
}

static __always_inline int is_among(__u64 kinds, __u8 kind)
{
	return (kinds >> (kind & 63)) & 1;
}

/* A worker thread of io_uring makes no system call. Tools that look at every process do not read by it. */
static __always_inline int is_by_ring(const struct sighting *seen)
{
	return seen->syscall < 0 || seen->syscall == NATIVE_io_uring_enter;
}

/*
 * Of the files of /proc/PID only `mem`, and those that are opened to be written. Profilers read where something is, and
 * `ps` reads the environment of every process: ordinary administration must not die of it.
 */
static __always_inline int is_worth_a_kill(const struct sighting *seen)
{
	if (!is_among(config.killed, seen->kind))
		return 0;
	return seen->kind != SVC_KIND_PROCESS_FILE || seen->detail == SVC_FILE_MEM ||
	       seen->detail & SVC_FILE_WRITTEN ||
	       (seen->detail == SVC_FILE_ENVIRON && is_by_ring(seen));
}

/* The current task's process. It dies before it is back in its own code; its other threads, a moment later. */
static __always_inline __u8 kill_actor(void)
{
	return bpf_send_signal(SIGKILL) ? SVC_DECISION_FAILED : SVC_DECISION_KILLED;
}

static __always_inline __u8 decide(const struct sighting *seen)
{
	if (seen->is_spared || !is_among(config.stopped, seen->kind))
		return SVC_DECISION_OBSERVED;
	if (seen->mechanism != SVC_MECHANISM_TRACING)
		return SVC_DECISION_BLOCKED;
	return is_worth_a_kill(seen) ? kill_actor() : SVC_DECISION_OBSERVED;
}

/*
 * Who was told of for which file, where no hook is: to open a file and to use it is one event, and a use whose open was
 * not seen is one, too.
 */
struct told_key {
	__u64 actor_start_ns;
	__u64 registration;
	__u32 actor;
	__u32 target;
	__u32 kind;
	__u32 file;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct told_key);
	__type(value, __u8);
} told SEC(".maps");

static __always_inline int is_about_file(const struct sighting *seen)
{
	return seen->kind == SVC_KIND_PROCESS_FILE || seen->kind == SVC_KIND_KERNEL_FILE ||
	       seen->kind == SVC_KIND_KERNEL_MEMORY;
}

/* Notes it; returns whether it was noted before. */
static __always_inline int note_telling(const struct sighting *seen)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct told_key key = {
		.actor_start_ns = current->group_leader->start_boottime,
		.registration = seen->registration,
		.actor = current->tgid,
		.target = seen->target_tgid,
		.kind = seen->kind,
		.file = seen->detail & ~SVC_FILE_WRITTEN,
	};
	__u8 is_told = 1;

	if (bpf_map_lookup_elem(&told, &key))
		return 1;
	bpf_map_update_elem(&told, &key, &is_told, BPF_ANY);
	return 0;
}

/* Each call that is refused is told of. */
static __always_inline int is_stopped_use(const struct sighting *seen)
{
	return seen->is_use && seen->decision != SVC_DECISION_OBSERVED;
}

/* Returns what a hook is to answer. */
static __always_inline int violate(struct sighting *seen)
{
	seen->is_violation = 1;
	seen->decision = decide(seen);
	if (seen->is_use && !seen->is_late && seen->decision == SVC_DECISION_OBSERVED)
		return 0;
	if (seen->mechanism >= SVC_MECHANISM_TRACING && is_about_file(seen) && note_telling(seen))
		seen->is_repeated = seen->is_late && !is_stopped_use(seen);
	if (!seen->is_repeated)
		report_violation(seen);
	if (seen->decision == SVC_DECISION_BLOCKED)
		return -EPERM;
	return 0;
}

/* As violate, of what has no registered program for a target. */
static __always_inline int violate_node(struct sighting *seen)
{
	if (is_stopping() && !guards_hold())
		seen->is_spared = 1;
	return violate(seen);
}

#endif
