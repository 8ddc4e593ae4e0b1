/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Processes in which io_uring(7) may have opened files. Nothing sees the end of a request that wants
 * no answer, so each use of a descriptor in such a process is looked at, until the process ends. A
 * descriptor gets to another process by fork(2), by a shared table, by SCM_RIGHTS and by
 * pidfd_getfd(2).
 */
#ifndef SVC_RING_OPENERS_H
#define SVC_RING_OPENERS_H

#include "kernel.h"
#include "event.h"
#include "typed.h"

#define RING_OPENERS_MAX 16384

/*
 * By the address of the structure that all threads of a process have in common. It stays the same
 * when a program is executed, and as long as a thread lives.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RING_OPENERS_MAX);
	__type(key, __u64);
	__type(value, __u32);
} ring_openers SEC(".maps");

struct svc_ring_opener_counts {
	__u64 now;
	/* There was no room for these: from then on each process is looked at. */
	__u64 lost;
};

/* Most machines have none, and then no process is looked for. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct svc_ring_opener_counts);
} ring_opener_counts SEC(".maps");

static __always_inline struct svc_ring_opener_counts *counts_of_ring_openers(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&ring_opener_counts, &first);
}

static __always_inline int is_ring_opener(struct task_struct *task)
{
	struct svc_ring_opener_counts *counts = counts_of_ring_openers();
	__u64 process;

	if (!counts || counts->lost)
		return 1;
	if (!counts->now)
		return 0;
	process = (__u64)to_read(task)->signal;
	return bpf_map_lookup_elem(&ring_openers, &process) != 0;
}

static __always_inline void mark_ring_opener(struct task_struct *task)
{
	struct svc_ring_opener_counts *counts = counts_of_ring_openers();
	__u64 process = (__u64)to_read(task)->signal;
	__u32 present = 1;

	if (!counts || bpf_map_lookup_elem(&ring_openers, &process))
		return;
	if (!bpf_map_update_elem(&ring_openers, &process, &present, BPF_NOEXIST))
		__sync_fetch_and_add(&counts->now, 1);
	else if (!bpf_map_lookup_elem(&ring_openers, &process))
		__sync_fetch_and_add(&counts->lost, 1);
}

/*
 * Processes that shared the table before its first file was opened by a ring. Later ones are
 * children. A global function, as ask_policies is.
 */
__noinline int mark_sharers_of_table(void)
{
	struct task_struct *current = bpf_get_current_task_btf(), *task;
	struct svc_ring_opener_counts *counts = counts_of_ring_openers();
	struct bpf_iter_task all;

	if (LINUX_KERNEL_VERSION < KERNEL_VERSION(6, 7, 0)) {
		if (counts)
			__sync_fetch_and_add(&counts->lost, 1);
		return 0;
	}
	bpf_iter_task_new(&all, 0, BPF_TASK_ITER_ALL_THREADS);
	while ((task = bpf_iter_task_next(&all))) {
		if (to_read(task)->files == to_read(current)->files)
			mark_ring_opener(task);
	}
	bpf_iter_task_destroy(&all);
	return 0;
}

/* A ring opens a file for the current task: its process, or a thread that the kernel has put in. */
static __always_inline void note_ring_opening(void)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct task_struct *read = to_read(current);

	if (is_ring_opener(current))
		return;
	mark_ring_opener(current);
	if (read->files->count.counter > read->signal->nr_threads)
		mark_sharers_of_table();
}

/* The other process gets descriptors of the first one. */
static __always_inline void hand_on_ring_files(struct task_struct *from, struct task_struct *to)
{
	if (to_read(from)->signal != to_read(to)->signal && is_ring_opener(from))
		mark_ring_opener(to);
}

static __always_inline void forget_ring_opener(struct task_struct *task)
{
	struct svc_ring_opener_counts *counts = counts_of_ring_openers();
	__u64 process = (__u64)to_read(task)->signal;

	/* Other threads of it live. */
	if (!counts || !counts->now || to_read(task)->signal->live.counter)
		return;
	if (!bpf_map_delete_elem(&ring_openers, &process))
		__sync_fetch_and_add(&counts->now, -1);
}

#endif
