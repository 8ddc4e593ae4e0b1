// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Watches operations on protected tasks. Every program may be loaded without the others: on a
 * kernel that lacks one hook, only the operations of that hook are not seen.
 * packages/agent/src/monitor/monitor-programs.ts lists them.
 */
#include "kernel.h"
#include "event.h"
#include "syscalls.h"
#include "config.h"
#include "report.h"
#include "state.h"
#include "policies.h"
#include "decision.h"
#include "protection.h"
#include "task_address.h"
#include "files.h"
#include "hooks.h"
#include "regions.h"
#include "runtimes.h"
#include "guard.h"
#include "task_hooks.h"
#include "token_files.h"
#include "file_hooks.h"
#include "node_hooks.h"
#include "refuse_calls.h"
#include "guard_hooks.h"
#include "ring_openers.h"
#include "watch_files.h"
#include "watch_uses.h"
#include "watch_rings.h"
#include "watch_memory.h"
#include "watch_syscalls.h"
#include "watch_results.h"
#include "watch_loader.h"
#include "watch_interpreters.h"
#include "trust.h"

/*
 * The machine whose registers and call numbers these programs use. The agent compares it, and takes
 * no object of another machine.
 */
#if defined(__TARGET_ARCH_x86)
const char ARCHITECTURE[] SEC("svc.architecture") = "svc-programs-for:x64";
#else
const char ARCHITECTURE[] SEC("svc.architecture") = "svc-programs-for:arm64";
#endif

/* As the kernel reads it: its helpers are for such programs only. */
char LICENSE[] SEC("license") = "GPL";

SEC("tp_btf/sched_process_fork")
int BPF_PROG(inherit_on_fork, struct task_struct *parent, struct task_struct *child)
{
	inherit(parent, child);
	hand_on_ring_files(parent, child);
	return 0;
}

/*
 * A protected program may give anything to the program that it executes. A wrapper that executes a
 * program loses its ownership here. Nothing else takes it away: the agent that gave it may have
 * ended.
 */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(settle_on_exec, struct task_struct *task)
{
	struct svc_protection *shield = shield_of(task);

	if (!shield || is_only_trusted(shield))
		return 0;
	if (!(shield->flags & SVC_HELPER))
		shield->flags &= ~(SVC_BARE_ENVIRONMENT | SVC_OWNER);
	else if (leaves_wrapper(task, shield))
		bpf_task_storage_delete(&protections, task);
	return 0;
}
