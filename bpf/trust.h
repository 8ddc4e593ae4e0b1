/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A policy names a file by its digest. A process that runs the file acts for it only if no other code was put into the
 * process. So its start is looked at, and from then on it is protected like a registered program.
 */
#ifndef SVC_TRUST_H
#define SVC_TRUST_H

#include "kernel.h"
#include "event.h"
#include "policies.h"
#include "protection.h"
#include "state.h"
#include "watch_loader.h"

#define BEGINS(entry, literal) (__builtin_memcmp(entry, literal, sizeof(literal) - 1) == 0)

/* ld.so(8), iconv(3): variables that make the loader add code, or take libraries from other places. */
static __always_inline int changes_code(const char *entry)
{
	return BEGINS(entry, "LD_") || BEGINS(entry, "GCONV_PATH=") ||
	       BEGINS(entry, "GLIBC_TUNABLES=");
}

static long scan_for_code(__u32 index, struct environment_scan *scan)
{
	char piece[PIECE_BYTES] = {};
	long length;

	if (scan->at >= scan->end)
		return 1;
	length = bpf_probe_read_user_str(piece, sizeof(piece), (void *)scan->at);
	/* An unreadable environment may hold anything. */
	if (length <= 0 || (!scan->goes_on && changes_code(piece))) {
		scan->matters = 1;
		return 1;
	}
	scan->goes_on = length == PIECE_BYTES;
	scan->at += scan->goes_on ? PIECE_BYTES - 1 : length;
	return 0;
}

/* Its environment adds no code, and it has no tracer. */
static __always_inline int begins_alone(struct task_struct *task)
{
	struct environment_scan scan = {
		.at = task->mm->env_start,
		.end = task->mm->env_end,
	};

	if (task->ptrace)
		return 0;
	return bpf_loop(PIECES_MAX, scan_for_code, &scan, 0) < PIECES_MAX && !scan.matters;
}

static __always_inline void trust(struct task_struct *task, struct svc_protection *own)
{
	struct svc_protection given = {
		.flags = SVC_PROTECTED | SVC_TRUSTED | SVC_BARE_ENVIRONMENT,
	};

	if (own)
		own->flags |= SVC_TRUSTED;
	else
		bpf_task_storage_get(&protections, task, &given, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static __always_inline void end_trust(struct task_struct *task, struct svc_protection *own)
{
	if (is_only_trusted(own))
		bpf_task_storage_delete(&protections, task);
	else
		own->flags &= ~SVC_TRUSTED;
}

/* Before its first instruction. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(trust_on_exec, struct task_struct *task)
{
	struct svc_protection *own = protection_of(task);
	int is_trusted;

	if (own && own->flags & SVC_EXEMPT)
		return 0;
	is_trusted = policies_of_file(task) && begins_alone(task);
	if (is_trusted)
		trust(task, own);
	else if (own && own->flags & SVC_TRUSTED)
		end_trust(task, own);
	return 0;
}

#endif
