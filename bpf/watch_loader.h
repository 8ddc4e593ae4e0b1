/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The dynamic loader runs the libraries of LD_PRELOAD and LD_AUDIT in every program that has these
 * variables (ld.so(8)). A protected program may have begun with them, as with the delivery preload,
 * and so may its children. A child that begins with others has them from another process. A process
 * may choose others for the program that it executes in its own place. Entry points that look for
 * an allocator do that.
 */
#ifndef SVC_WATCH_LOADER_H
#define SVC_WATCH_LOADER_H

#include "kernel.h"
#include "event.h"
#include "report.h"
#include "decision.h"
#include "protection.h"

/* The most pieces in which an environment is read. */
#define PIECE_BYTES 256
#define PIECES_MAX 8192

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
#define FNV_OFFSET 2166136261u
#define FNV_PRIME 16777619u

struct environment_scan {
	__u64 at;
	__u64 end;
	/* The sum over all entries that matter, in any order. 0 without one. */
	__u32 sum;
	/* The hash of the entry that is being read. */
	__u32 hash;
	__u8 matters;
	__u8 goes_on;
};

static __always_inline int is_for_loader(const char *entry)
{
	return __builtin_memcmp(entry, "LD_PRELOAD=", 11) == 0 ||
	       __builtin_memcmp(entry, "LD_AUDIT=", 9) == 0;
}

static long scan_piece(__u32 index, struct environment_scan *scan)
{
	char piece[PIECE_BYTES] = {};
	long length;

	if (scan->at >= scan->end)
		return 1;
	length = bpf_probe_read_user_str(piece, sizeof(piece), (void *)scan->at);
	if (length <= 0)
		return 1;
	if (!scan->goes_on) {
		scan->matters = is_for_loader(piece);
		scan->hash = FNV_OFFSET;
	}
	/*
	 * An entry that fills the piece has lost its end. The rest is read from there, without the
	 * NUL that does not belong to it.
	 */
	scan->goes_on = length == PIECE_BYTES;
	scan->at += scan->goes_on ? PIECE_BYTES - 1 : length;
	if (!scan->matters)
		return 0;
	for (int i = 0; i < PIECE_BYTES - 1; i++) {
		if (!piece[i])
			break;
		scan->hash = (scan->hash ^ (__u8)piece[i]) * FNV_PRIME;
	}
	if (!scan->goes_on)
		scan->sum += scan->hash;
	return 0;
}

/*
 * 0 for an environment without entries for the loader. ~0 for one that is too long to be read,
 * which equals no known one.
 */
static __always_inline __u32 loader_sum(struct task_struct *task)
{
	struct environment_scan scan = {
		.at = task->mm->env_start,
		.end = task->mm->env_end,
	};
	long pieces = bpf_loop(PIECES_MAX, scan_piece, &scan, 0);

	return pieces == PIECES_MAX ? ~0u : scan.sum;
}

static __always_inline void learn_loader(struct svc_protection *shield, __u32 sum)
{
	shield->loader = sum;
	shield->flags |= SVC_LOADER_KNOWN;
	shield->flags &= ~SVC_UNEXECUTED;
}

static __always_inline int report_loader(__u64 registration, struct sighting *seen)
{
	seen->target = bpf_get_current_task_btf();
	seen->registration = registration;
	violate(seen);
	return 0;
}

/*
 * For a program that had begun before it was registered: the variables of its first child count as
 * its own.
 */
static __always_inline void learn_parents_loader(struct task_struct *task,
						 const struct svc_protection *shield, __u32 sum)
{
	struct svc_protection *parents = shield_of(task->real_parent);

	if (parents && parents->registration == shield->registration &&
	    !(parents->flags & (SVC_OWNER | SVC_LOADER_KNOWN)))
		learn_loader(parents, sum);
}

/* Before its first instruction: a process that is killed here has run nothing. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(watch_loader, struct task_struct *task)
{
	struct svc_protection *shield = shield_of(task);
	struct sighting seen = {
		.kind = SVC_KIND_LOADER,
		.mechanism = SVC_MECHANISM_TRACING,
		.syscall = -1,
	};
	__u32 sum;

	if (!shield || shield->flags & (SVC_OWNER | SVC_EXEMPT | SVC_HELPER) ||
	    is_only_trusted(shield))
		return 0;
	sum = loader_sum(task);
	if (shield->flags & SVC_UNEXECUTED && shield->flags & SVC_LOADER_KNOWN && sum &&
	    sum != shield->loader)
		return report_loader(shield->registration, &seen);
	if (!(shield->flags & SVC_LOADER_KNOWN))
		learn_parents_loader(task, shield, sum);
	learn_loader(shield, sum);
	return 0;
}

#endif
