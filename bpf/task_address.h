/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Linux before 6.2 gives programs no task for a pid, and no pointer that the verifier trusts leads
 * to one. Its structures can be read all the same, a protection among them: as the kernel itself
 * looks it up, and never to write.
 */
#ifndef SVC_TASK_ADDRESS_H
#define SVC_TASK_ADDRESS_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "report.h"
#include "protection.h"

/* How many programs' storages a task may have before ours is not found. */
#define STORAGES_MAX 16

/* The task that an inode of /proc/PID is of; 0 if it has ended. */
static __always_inline __u64 address_of_inode(struct inode *inode)
{
	void *proc = (void *)inode - bpf_core_field_offset(struct proc_inode, vfs_inode);
	struct pid *pid = BPF_CORE_READ((struct proc_inode *)proc, pid);
	void *link = BPF_CORE_READ(pid, tasks[PIDTYPE_PID].first);

	return link ? (__u64)link - bpf_core_field_offset(struct task_struct, pid_links) : 0;
}

static __always_inline __u32 tid_at(__u64 address)
{
	return BPF_CORE_READ((struct task_struct *)address, pid);
}

/* Copies the protection that one task has; returns whether it has one. */
static __always_inline int read_own_protection(__u64 address, struct svc_protection *protection)
{
	struct task_struct *task = (void *)address;
	void *link = BPF_CORE_READ(task, bpf_storage, list.first);
	__u32 own = ((struct bpf_map *)&protections)->id;

	for (int i = 0; i < STORAGES_MAX && link; i++) {
		struct bpf_local_storage_elem *element =
			link - bpf_core_field_offset(struct bpf_local_storage_elem, snode);

		if (BPF_CORE_READ(element, sdata.smap, map.id) == own)
			return !bpf_probe_read_kernel(protection, sizeof(*protection),
						      &element->sdata.data);
		link = BPF_CORE_READ(element, snode.next);
	}
	return 0;
}

static __always_inline int read_owed_mark(struct task_struct *task, struct svc_protection *mark)
{
	struct task_key key = {
		.start_ns = BPF_CORE_READ(task, start_boottime),
		.pid = BPF_CORE_READ(task, pid),
	};
	struct svc_protection *owed = bpf_map_lookup_elem(&owed_marks, &key);

	if (owed)
		*mark = *owed;
	return owed != 0;
}

/* As shield_of_target. The mark of a child whose fork is not over is its parent's. */
static __always_inline int read_protection(__u64 address, struct svc_protection *protection)
{
	struct task_struct *task = (void *)address;

	if (BPF_CORE_READ(task, __state) & TASK_NEW)
		task = BPF_CORE_READ(task, real_parent);
	return read_own_protection((__u64)BPF_CORE_READ(task, group_leader), protection) ||
	       read_own_protection((__u64)task, protection) || read_owed_mark(task, protection);
}

/* As judge, of the task at an address, which may be NULL. */
static __always_inline int judge_address(__u64 address, struct sighting *seen)
{
	struct svc_protection found = {};
	const struct svc_protection *shield = 0;

	if (!address)
		return 0;
	if (read_protection(address, &found) && found.flags & SVC_PROTECTED)
		shield = &found;
	if (!shield && !config.log_all)
		return 0;
	seen->target_address = address;
	return judge_shielded(seen, shield, BPF_CORE_READ((struct task_struct *)address, tgid));
}

#endif
