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
#include "state.h"
#include "user_memory.h"

/* The most pieces in which an environment is read. */
#define PIECE_BYTES 256
#define PIECES_MAX 8192

struct environment_scan {
	__u64 at;
	__u64 end;
	struct siphash_key key;
	struct loader_variables found;
	/* The hash of the entry that is being read. */
	struct siphash hash;
	__u8 matters;
	__u8 goes_on;
};

static __always_inline int is_for_loader(const char *entry)
{
	return __builtin_memcmp(entry, "LD_PRELOAD=", 11) == 0 ||
	       __builtin_memcmp(entry, "LD_AUDIT=", 9) == 0;
}

/* The zeros behind the text, too: a branch for each byte is more than the verifier takes. */
static __always_inline void hash_piece(struct siphash *hash, const __u64 *words)
{
	for (int i = 0; i < PIECE_BYTES / 8; i++)
		siphash_add(hash, words[i]);
}

static long scan_piece(__u32 index, struct environment_scan *scan)
{
	__u64 words[PIECE_BYTES / 8] = {};
	char *piece = (char *)words;
	__u32 length;

	if (scan->at >= scan->end)
		return 1;
	length = copy_string_from_caller(piece, PIECE_BYTES, scan->at);
	if (!length) {
		scan->found.state = UNKNOWN_VARIABLES;
		return 1;
	}
	if (!scan->goes_on) {
		scan->matters = is_for_loader(piece);
		scan->hash = siphash_begin(&scan->key);
	}
	/*
	 * An entry that fills the piece has lost its end. The rest is read from there, without the
	 * NUL that does not belong to it.
	 */
	scan->goes_on = length == PIECE_BYTES;
	scan->at += scan->goes_on ? PIECE_BYTES - 1 : length;
	if (!scan->matters)
		return 0;
	hash_piece(&scan->hash, words);
	if (!scan->goes_on) {
		scan->found.hashes += siphash_end(&scan->hash);
		scan->found.state = SOME_VARIABLES;
	}
	return 0;
}

static __always_inline struct loader_variables loader_variables(struct task_struct *task)
{
	struct environment_scan scan = {
		.at = to_read(task)->mm->env_start,
		.end = to_read(task)->mm->env_end,
	};
	__u32 first = 0;
	struct siphash_key *key = bpf_map_lookup_elem(&loader_key, &first);

	if (key)
		scan.key = *key;
	if (bpf_loop(PIECES_MAX, scan_piece, &scan, 0) >= PIECES_MAX)
		scan.found.state = UNKNOWN_VARIABLES;
	return scan.found;
}

/* A child begins with other variables than its parent had. It may begin without any. */
static __always_inline int are_others(const struct loader_variables *found,
				      const struct loader_variables *known)
{
	if (found->state == NO_VARIABLES)
		return 0;
	return !known || found->state != SOME_VARIABLES || known->state != SOME_VARIABLES ||
	       found->hashes != known->hashes;
}

static __always_inline void learn_loader(struct task_struct *task, struct svc_protection *shield,
					 const struct loader_variables *variables)
{
	set_loader(task, variables);
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
						 const struct svc_protection *shield,
						 const struct loader_variables *variables)
{
	struct svc_protection *parents = shield_of(task->real_parent);

	if (parents && parents->registration == shield->registration &&
	    !(parents->flags & (SVC_OWNER | SVC_LOADER_KNOWN)))
		learn_loader(task->real_parent, parents, variables);
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
	struct loader_variables found;

	if (!shield || shield->flags & (SVC_OWNER | SVC_EXEMPT | SVC_HELPER) ||
	    is_only_trusted(shield))
		return 0;
	found = loader_variables(task);
	if (shield->flags & SVC_UNEXECUTED && shield->flags & SVC_LOADER_KNOWN &&
	    are_others(&found, loader_of(task)))
		return report_loader(shield->registration, &seen);
	if (!(shield->flags & SVC_LOADER_KNOWN))
		learn_parents_loader(task, shield, &found);
	learn_loader(task, shield, &found);
	return 0;
}

#endif
