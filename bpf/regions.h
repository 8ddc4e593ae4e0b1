/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Regions of secrets, by their inodes: a process with a descriptor of one can map it. */
#ifndef SVC_REGIONS_H
#define SVC_REGIONS_H

#include "kernel.h"
#include "event.h"
#include "inodes.h"
#include "report.h"
#include "decision.h"
#include "protection.h"
#include "files.h"
#include "hooks.h"

/*
 * Regions of registered processes, with their registrations. The kernel side adds those that it saw
 * the process map or receive. The agent adds those that it finds in the process's mappings. Secret
 * memory of other processes looks the same.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct svc_inode);
	__type(value, __u64);
} regions SEC(".maps");

/* Secret memory, or ordinary memory under our name. */
static __always_inline int is_region(struct file *file)
{
	unsigned long magic = file->f_inode->i_sb->s_magic;
	char name[NAME_BYTES];

	if (magic == SECRETMEM_MAGIC)
		return 1;
	if (magic != TMPFS_MAGIC)
		return 0;
	read_name(file->f_path.dentry, name);
	return is_plain_region(name);
}

enum region_access {
	/* The process gets a descriptor: from another process, or by /proc/PID/fd. */
	REGION_IS_GIVEN,
	/*
	 * The process has a descriptor. A process that makes its own secret memory has one, too.
	 */
	REGION_IS_USED,
};

/* The current task has, or is given, a descriptor of a region. Returns the answer of the hook. */
static __always_inline int judge_region(enum region_access access, const struct svc_inode *inode,
					struct sighting *seen)
{
	struct svc_protection *own = protection_of(bpf_get_current_task_btf());
	__u64 *registration;

	/* A wrapper's, or a program's of ours. */
	if (own && !is_only_trusted(own)) {
		if (own->flags & SVC_PROTECTED)
			bpf_map_update_elem(&regions, inode, &own->registration, BPF_ANY);
		return 0;
	}
	registration = bpf_map_lookup_elem(&regions, inode);
	if (!registration && access == REGION_IS_USED)
		return 0;
	if (registration)
		seen->registration = *registration;
	if (!registration)
		seen->is_spared = 1;
	return violate(seen);
}

static __always_inline int judge_region_file(enum region_access access, struct file *file,
					     __u8 mechanism)
{
	struct svc_inode inode;

	if (!is_region(file))
		return 0;
	struct sighting seen = sighting(SVC_KIND_SECRET_DESCRIPTOR, mechanism);

	inode = identify(file->f_inode);
	return judge_region(access, &inode, &seen);
}

#endif
