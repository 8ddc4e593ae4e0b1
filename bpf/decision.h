/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What is done about a violation. */
#ifndef SVC_DECISION_H
#define SVC_DECISION_H

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

/* Files that tell where something is, and not what it is: profilers read them, which nobody should be killed for. */
static __always_inline int is_worth_a_kill(const struct sighting *seen)
{
	if (!is_among(config.killed, seen->kind))
		return 0;
	return seen->kind != SVC_KIND_PROCESS_FILE || seen->detail == SVC_FILE_MEM ||
	       seen->detail == SVC_FILE_ENVIRON || seen->detail & SVC_FILE_WRITTEN;
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

/* Returns what a hook is to answer. */
static __always_inline int violate(struct sighting *seen)
{
	seen->is_violation = 1;
	seen->decision = decide(seen);
	if (seen->is_use && seen->decision == SVC_DECISION_OBSERVED)
		return 0;
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
