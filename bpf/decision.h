/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Decides what happens on a violation, and notes events that were reported. */
#ifndef SVC_DECISION_H
#define SVC_DECISION_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "config.h"
#include "state.h"
#include "policies.h"
#include "report.h"
#include "kill.h"
#include "typed.h"

/*
 * False during a break-glass, and when no agent has sent a heartbeat for long. Attempts without a
 * registered target are then only reported, so that an administrator can work on a machine without
 * an agent.
 */
static __always_inline int guards_hold(void)
{
	struct svc_agent_state *state = agent_state();

	return state && agent_lives() && bpf_ktime_get_ns() >= state->open_until_ns;
}

/*
 * A worker thread of io_uring makes no system call. Tools that look at every process do not read by
 * it.
 */
static __always_inline int is_by_ring(const struct sighting *seen)
{
	return seen->syscall < 0 || seen->syscall == NATIVE_io_uring_enter;
}

/*
 * Among the files of /proc/PID only `mem`, and files that are opened for writing. Profilers read
 * addresses, and `ps` reads the environment of every process: ordinary administration must not die
 * of it.
 */
static __always_inline int is_worth_a_kill(const struct sighting *seen)
{
	if (!is_among(config.killed, seen->kind))
		return 0;
	return seen->kind != SVC_KIND_PROCESS_FILE || seen->detail == SVC_FILE_MEM ||
	       seen->detail & SVC_FILE_WRITTEN ||
	       (seen->detail == SVC_FILE_ENVIRON && is_by_ring(seen));
}

/* The compiler would combine a pointer with numbers, which the verifier refuses. */
static __always_inline __u32 has_target(const struct sighting *seen)
{
	__u32 found = seen->target_address || seen->target_tgid;

	barrier_var(found);
	if (seen->target)
		found = 1;
	return found;
}

/* Notes the policy that lets it through, if one does. */
static __always_inline __u8 decide(struct sighting *seen)
{
	__u64 answer = ask_policies(seen->kind, seen->registration, has_target(seen));
	__u8 leave = answer;

	seen->policy = answer >> 32;
	if (leave == SVC_DECISION_ALLOWED)
		return leave;
	if (seen->is_spared || !is_among(config.stopped, seen->kind))
		return SVC_DECISION_OBSERVED;
	if (seen->mechanism != SVC_MECHANISM_TRACING)
		return leave || config.dry_run ? SVC_DECISION_WOULD_BLOCK : SVC_DECISION_BLOCKED;
	if (!is_worth_a_kill(seen))
		return SVC_DECISION_OBSERVED;
	return leave || config.dry_run ? SVC_DECISION_WOULD_KILL : kill_actor();
}

/*
 * Attempts that were reported, if the kernel has no hook. Opening a file and using it is one event.
 * A use whose opening was not seen is one, too. So is a call that is judged a second time when it is
 * over.
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

/* Notes it; returns whether it was noted before. */
static __always_inline int note_telling(const struct sighting *seen)
{
	struct task_struct *current = to_read(bpf_get_current_task_btf());
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

/* Each call that is refused is reported. */
static __always_inline int is_stopped_use(const struct sighting *seen)
{
	return seen->is_use && seen->decision >= SVC_DECISION_BLOCKED &&
	       seen->decision <= SVC_DECISION_FAILED;
}

/* Its open has been reported in the same way. */
static __always_inline int is_told_use(const struct sighting *seen)
{
	return seen->is_use && !seen->is_late &&
	       (seen->decision == SVC_DECISION_OBSERVED || seen->decision == SVC_DECISION_ALLOWED);
}

/* Returns the answer of the hook. */
static __always_inline int violate(struct sighting *seen)
{
	seen->is_violation = 1;
	seen->decision = decide(seen);
	if (is_told_use(seen))
		return 0;
	if (seen->mechanism >= SVC_MECHANISM_TRACING && note_telling(seen))
		seen->is_repeated = seen->is_late && !is_stopped_use(seen);
	if (!seen->is_repeated)
		report_violation(seen);
	if (seen->decision == SVC_DECISION_BLOCKED)
		return -EPERM;
	return 0;
}

/* As violate, without a registered program for a target. */
static __always_inline int violate_node(struct sighting *seen)
{
	if (is_stopping() && !guards_hold())
		seen->is_spared = 1;
	return violate(seen);
}

#endif
