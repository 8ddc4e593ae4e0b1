/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Guards the agent's own process, maps and pins. A process that changed them could switch the agent
 * off. An agent that only looks reports it.
 */
#ifndef SVC_GUARD_H
#define SVC_GUARD_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "report.h"
#include "decision.h"
#include "protection.h"

/* The current task reaches for it. Returns the answer of the hook. */
static __always_inline int guard(enum svc_tampering what, struct sighting *seen)
{
	if (config.dry_run || is_exempt())
		return 0;
	seen->kind = SVC_KIND_AGENT_TAMPERING;
	seen->detail = what;
	seen->registration = 0;
	return violate_node(seen);
}

/*
 * SIGTERM ends the agent in good order, and its programs stay in the kernel. systemd and timeout(1)
 * send SIGCONT after it, which does nothing to a process that runs. Signal 0 only tests whether the
 * agent exists.
 */
static __always_inline int guard_signal(__u32 signal, struct sighting *seen)
{
	if (!signal || signal == SIGTERM || signal == SIGCONT)
		return 0;
	return guard(SVC_TAMPERING_SIGNAL, seen);
}

/*
 * A process that asks for the state of an ended agent becomes the agent, because root may start
 * one. That is reported: a running agent leaves no state to ask for. The first agent asks, too,
 * after it has become the agent by itself.
 */
static __always_inline int adopt(struct sighting *seen)
{
	struct task_struct *leader = bpf_get_current_task_btf()->group_leader;
	struct svc_protection own = { .flags = SVC_PROTECTED | SVC_EXEMPT | SVC_BARE_ENVIRONMENT };
	struct svc_agent_state *state = agent_state();

	/* Without pins an agent leaves nothing that another process could take over. */
	if (!config.pins.number || !state ||
	    __sync_val_compare_and_swap(&state->agent_pid, 0, leader->tgid))
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
