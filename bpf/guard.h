/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What is the agent's own, while it stops attempts: whoever could change it could switch that off. */
#ifndef SVC_GUARD_H
#define SVC_GUARD_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "report.h"
#include "decision.h"
#include "protection.h"

/* The current task reaches for it. Returns what a hook is to answer. */
static __always_inline int guard(enum svc_tampering what, struct sighting *seen)
{
	if (!is_enforcing() || is_exempt())
		return 0;
	seen->kind = SVC_KIND_AGENT_TAMPERING;
	seen->detail = what;
	seen->registration = 0;
	return violate_node(seen);
}

/*
 * SIGTERM ends it in good order, and leaves what it has put into the kernel; systemd and timeout(1) send SIGCONT behind it,
 * which does nothing to a process that runs. 0 only asks whether it is there.
 */
static __always_inline int guard_signal(__u32 signal, struct sighting *seen)
{
	if (!signal || signal == SIGTERM || signal == SIGCONT)
		return 0;
	return guard(SVC_TAMPERING_SIGNAL, seen);
}

/*
 * Whoever asks for the state of an agent that has ended becomes the agent, as root may start one. It is told of: an
 * agent that runs leaves nothing to ask for. The first one asks, too, when it has become the agent by itself.
 */
static __always_inline int adopt(struct sighting *seen)
{
	struct task_struct *leader = bpf_get_current_task_btf()->group_leader;
	struct svc_protection own = { .flags = SVC_PROTECTED | SVC_EXEMPT | SVC_BARE_ENVIRONMENT };
	struct svc_agent_state *state = agent_state();

	if (!state || __sync_val_compare_and_swap(&state->agent_pid, 0, leader->tgid))
		return 0;
	if (is_agent(leader))
		return 1;
	if (!bpf_task_storage_get(&protections, leader, &own, BPF_LOCAL_STORAGE_GET_F_CREATE)) {
		state->agent_pid = 0;
		return 0;
	}
	seen->kind = SVC_KIND_AGENT_ADOPTION;
	report_violation(seen);
	return 1;
}

#endif
