/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * What LD_PRELOAD and LD_AUDIT name runs in every program that has them in its environment (ld.so(8)). A protected program
 * may have begun with them, as those of the preload delivery do, and so do its children; a child that begins with others has
 * them from somebody else. What a process executes in its own place is its own choice, as an entry point's that looks for
 * an allocator.
 */
#ifndef SVC_WATCH_LOADER_H
#define SVC_WATCH_LOADER_H

#include "kernel.h"
#include "event.h"
#include "report.h"
#include "decision.h"
#include "protection.h"

/* An environment is read in pieces, of which there may be so many. */
#define PIECE_BYTES 256
#define PIECES_MAX 8192

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
#define FNV_OFFSET 2166136261u
#define FNV_PRIME 16777619u

struct environment_scan {
	__u64 at;
	__u64 end;
	/* The sum over all entries that matter, in whatever order they stand; 0 where there is none. */
	__u32 sum;
	/* Of the entry that is being read. */
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
	/* One that fills the piece has lost its end: the rest is read from there, but for the NUL that is not its own. */
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

/* 0 where the environment has nothing for the loader; what is too long to be looked at is no environment that is known. */
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

/* Where a program was registered when it had begun already: what its first child has is taken for its own. */
static __always_inline void learn_parents_loader(struct task_struct *task,
						 const struct svc_protection *shield, __u32 sum)
{
	struct svc_protection *parents = shield_of(task->real_parent);

	if (parents && parents->registration == shield->registration &&
	    !(parents->flags & (SVC_OWNER | SVC_LOADER_KNOWN)))
		learn_loader(parents, sum);
}

/* Before its first instruction: whoever is killed here has run nothing. */
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
