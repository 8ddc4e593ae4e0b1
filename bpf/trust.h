/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A policy names a file by its digest. A process that runs the file acts for it only if no other
 * code was put into the process. So its start is looked at, and from then on it is protected like a
 * registered program.
 */
#ifndef SVC_TRUST_H
#define SVC_TRUST_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "policies.h"
#include "protection.h"
#include "state.h"
#include "user_memory.h"
#include "watch_loader.h"

#define BEGINS(entry, literal) (__builtin_memcmp(entry, literal, sizeof(literal) - 1) == 0)

/*
 * ld.so(8), iconv(3): variables that make the loader add code, or take libraries from other places.
 */
static __always_inline int changes_code(const char *entry)
{
	return BEGINS(entry, "LD_") || BEGINS(entry, "GCONV_PATH=") ||
	       BEGINS(entry, "GLIBC_TUNABLES=");
}

static long scan_for_code(__u32 index, struct environment_scan *scan)
{
	char piece[PIECE_BYTES] = {};
	__u32 length;

	if (scan->at >= scan->end)
		return 1;
	length = copy_string_from_caller(piece, sizeof(piece), scan->at);
	/* An unknown environment may hold anything. */
	if (!length || (!scan->goes_on && changes_code(piece))) {
		scan->matters = 1;
		return 1;
	}
	scan->goes_on = length == PIECE_BYTES;
	scan->at += scan->goes_on ? PIECE_BYTES - 1 : length;
	return 0;
}

/* How many filters a process may have. With more, one of them may be listened to. */
#define FILTERS_MAX 32

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct seccomp_filter {
	struct seccomp_filter *prev;
	struct notification *notif;
};

struct seccomp {
	struct seccomp_filter *filter;
};

struct task_struct___starting {
	unsigned int in_execve : 1;
	struct seccomp seccomp;
};

#pragma clang attribute pop

static __always_inline int is_in_execve(struct task_struct *task)
{
	struct task_struct___starting *starting = (void *)task;

	return bpf_core_field_exists(starting->in_execve) &&
	       BPF_CORE_READ_BITFIELD(starting, in_execve);
}

/*
 * seccomp_unotify(2): the process that listens to a filter answers system calls for this one, and
 * hands it other libraries than it asks for.
 */
static __always_inline int has_listener(struct task_struct *task)
{
	struct task_struct___starting *starting = (void *)task;
	struct seccomp_filter *filter;

	if (!bpf_core_field_exists(starting->seccomp.filter))
		return 0;
	filter = starting->seccomp.filter;
	for (int i = 0; i < FILTERS_MAX; i++) {
		if (!filter)
			return 0;
		if (filter->notif)
			return 1;
		filter = filter->prev;
	}
	return 1;
}

/* Its environment adds no code, and no other process has a hold on it. */
static __always_inline int begins_alone(struct task_struct *task)
{
	struct environment_scan scan = {
		.at = to_read(task)->mm->env_start,
		.end = to_read(task)->mm->env_end,
	};

	if (task->ptrace || has_listener(task))
		return 0;
	return bpf_loop(PIECES_MAX, scan_for_code, &scan, 0) < PIECES_MAX && !scan.matters;
}

/*
 * execve(2) gives the process its name while it holds the locks that ptrace(2),
 * process_vm_writev(2) and the files of /proc/PID wait for, and has its new memory by then. So it
 * is protected before another process can reach into that.
 */
SEC("tp_btf/task_rename")
int BPF_PROG(begin_trust, struct task_struct *task)
{
	struct svc_protection given = {
		.flags = SVC_PROTECTED | SVC_STARTING | SVC_BARE_ENVIRONMENT,
	};
	struct svc_protection *own;

	/* There confirm_trust is refused, and a mark would stay for ever. */
	if (!config.read_kernel || !is_in_execve(task) || !policies_of_file(task))
		return 0;
	own = protection_of(task);
	if (!own)
		bpf_task_storage_get(&protections, task, &given, BPF_LOCAL_STORAGE_GET_F_CREATE);
	else if (leaves_wrapper(task, own))
		*own = given;
	else if (!(own->flags & SVC_EXEMPT))
		own->flags |= SVC_STARTING;
	return 0;
}

static __always_inline void end_trust(struct task_struct *task, struct svc_protection *own)
{
	if (is_only_trusted(own))
		bpf_task_storage_delete(&protections, task);
	else
		own->flags &= ~(SVC_TRUSTED | SVC_STARTING | SVC_REACHED);
}

/* Before its first instruction. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(confirm_trust, struct task_struct *task)
{
	struct svc_protection *own = protection_of(task);

	if (!own || !(own->flags & (SVC_TRUSTED | SVC_STARTING)))
		return 0;
	if (!(own->flags & SVC_STARTING) || !policies_of_file(task) || !begins_alone(task)) {
		end_trust(task, own);
		return 0;
	}
	own->flags &= ~(SVC_STARTING | SVC_REACHED);
	own->flags |= SVC_TRUSTED;
	return 0;
}

#endif
