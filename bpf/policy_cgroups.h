/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * The control group of the current task, by the names of its folders. The group's id would do as
 * well, and be another one whenever a unit is started: the agent would hear of it when that has
 * made its first attempt.
 */
#ifndef SVC_POLICY_CGROUPS_H
#define SVC_POLICY_CGROUPS_H

#include "kernel.h"
#include "config.h"
#include "policy_layout.h"

/* By the name of its folder: that of a service of systemd, or of a pod. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct svc_cgroup_name);
	__type(value, __u64);
} policy_cgroups SEC(".maps");

/* How deep a folder may be below the hierarchy's root. */
#define CGROUP_LEVELS 16

/* The policies of the unit or pod that was passed, and the name of the folder that is looked at. */
struct cgroup_walk {
	struct kernfs_node *folder;
	__u64 found;
	__u64 is_done;
	struct svc_cgroup_name name;
};

static __always_inline struct kernfs_node *folder_above(struct kernfs_node *folder)
{
	struct kernfs_node___underscored *newer = (void *)folder;

	if (bpf_core_field_exists(folder->parent))
		return BPF_CORE_READ(folder, parent);
	return BPF_CORE_READ(newer, __parent);
}

#define ENDS_WITH(text, length, literal)                                        \
	((length) >= sizeof(literal) - 1 && (length) < SVC_CGROUP_NAME_BYTES && \
	 __builtin_memcmp((text) + (length) - (sizeof(literal) - 1), literal,   \
			  sizeof(literal) - 1) == 0)

#define STARTS_WITH(text, literal) (__builtin_memcmp(text, literal, sizeof(literal) - 1) == 0)

/*
 * A unit's folder is below slices of the system. The owner of another folder (a user, a service, a
 * scope, a container) makes folders of any name below it. They do not count as units.
 */
static __always_inline int is_slice_of_system(const char *name, __u32 length)
{
	return ENDS_WITH(name, length, ".slice") && !STARTS_WITH(name, "user.slice") &&
	       !STARTS_WITH(name, "user-");
}

#define IS_NAME(text, literal) (__builtin_memcmp(text, literal, sizeof(literal)) == 0)

/* The folders above a pod's, which the kubelet makes. Its other driver makes slices. */
static __always_inline int is_kubelets(const char *name)
{
	return IS_NAME(name, "kubepods") || IS_NAME(name, "burstable") ||
	       IS_NAME(name, "besteffort");
}

/*
 * A folder on the way up. Only the system and the kubelet make folders in those that are passed
 * without a loss.
 */
static __always_inline void pass_folder(struct cgroup_walk *walk, __u32 length)
{
	__u64 *named;

	/* A name that fills the room has lost its end: it may begin as another one does. */
	if (length >= SVC_CGROUP_NAME_BYTES - 1) {
		walk->found = 0;
		return;
	}
	named = bpf_map_lookup_elem(&policy_cgroups, &walk->name);
	if (named)
		walk->found = *named;
	else if (!is_slice_of_system(walk->name.text, length) && !is_kubelets(walk->name.text))
		walk->found = 0;
}

/* Looks at a folder on the way from the leaf to the root. The root has no name. */
static long walk_up(__u32 level, struct cgroup_walk *walk)
{
	struct kernfs_node *folder = walk->folder, *above = folder_above(folder);
	const char *name;
	long bytes;

	if (!above) {
		walk->is_done = 1;
		return 1;
	}
	name = BPF_CORE_READ(folder, name);
	__builtin_memset(&walk->name, 0, sizeof(walk->name));
	bytes = bpf_probe_read_kernel_str(walk->name.text, sizeof(walk->name.text), name);
	if (bytes <= 0)
		return 1;
	pass_folder(walk, bytes - 1);
	walk->folder = above;
	return 0;
}

/* Not if lockdown=confidentiality forbids to read names. */
static __noinline __u64 policies_of_cgroup(struct task_struct *task)
{
	struct cgroup_walk walk = {};

	if (!config.read_kernel)
		return 0;
	walk.folder = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn);
	bpf_loop(CGROUP_LEVELS, walk_up, &walk, 0);
	return walk.is_done ? walk.found : 0;
}

#endif
