/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Hooks that the kernel calls when a process reaches for the maps and pins of an agent that stops
 * attempts.
 */
#ifndef SVC_GUARD_HOOKS_H
#define SVC_GUARD_HOOKS_H

#include "watch_interpreters.h"
#include "kernel.h"
#include "event.h"
#include "config.h"
#include "report.h"
#include "decision.h"
#include "policies.h"
#include "protection.h"
#include "hooks.h"
#include "regions.h"
#include "runtimes.h"
#include "guard.h"
#include "task_hooks.h"
#include "node_hooks.h"
#include "refuse_calls.h"
#include "ring_openers.h"
#include "token_files.h"
#include "user_memory.h"

static __always_inline __u32 id_of(void *map)
{
	return ((struct bpf_map *)map)->id;
}

static __always_inline int is_map_of_policies(__u32 id)
{
	return id == id_of(&policies) || id == id_of(&policies_in_force) ||
	       id == id_of(&policy_executables) || id == id_of(&policy_cgroups) ||
	       id == id_of(&policy_users) || id == id_of(&policy_groups);
}

static __always_inline int is_map_of_tokens(__u32 id)
{
	return id == id_of(&token_volumes) || id == id_of(&token_names) ||
	       id == id_of(&token_readers) || id == id_of(&token_inodes) || id == id_of(&kubelets);
}

static __always_inline int is_own_map(__u32 id)
{
	return id == id_of(&protections) || id == id_of(&violations) || id == id_of(&dropped) ||
	       id == id_of(&sequences) || id == id_of(&regions) || id == id_of(&agent) ||
	       id == id_of(&runtimes) || id == id_of(&openings) || id == id_of(&uses) ||
	       id == id_of(&refusals) || id == id_of(&everything) || id == id_of(&hook_runs) ||
	       id == id_of(&reading_functions) || id == id_of(&told) ||
	       id == id_of(&owed_marks) || id == id_of(&executed_heads) ||
	       id == id_of(&loaders) || id == id_of(&loader_key) ||
	       id == id_of(&ring_openers) || id == id_of(&ring_opener_counts) ||
	       is_map_of_tokens(id) || is_map_of_policies(id);
}

/* Returns the answer of the hook. */
static __always_inline int guard_map(__u32 id, struct sighting *seen)
{
	if (config.dry_run || !is_own_map(id))
		return 0;
	if (id == id_of(&agent) && adopt(seen))
		return 0;
	return guard(SVC_TAMPERING_MAP, seen);
}

/*
 * For kernels without hooks: a map of ours is asked for by its number. An unknown number is judged
 * when the call has found its map, unless the call can be refused: watch_results.h.
 */
static __always_inline int guard_command(int command, __u64 attributes, struct sighting *seen)
{
	__u32 id = 0;

	if (command != BPF_MAP_GET_FD_BY_ID)
		return 0;
	if (copy_from_caller(&id, sizeof(id), attributes))
		return config.override ? guard(SVC_TAMPERING_MAP, seen) : 0;
	return guard_map(id, seen);
}

static __always_inline int check_map_access(struct bpf_map *map, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_AGENT_TAMPERING, mechanism);

	return guard_map(map->id, &seen);
}

HOOK(bpf_map, check_map_access(map, mechanism), struct bpf_map *map)

static __always_inline int is_folder_of_pins(struct inode *inode)
{
	return inode && inode->i_ino == config.pins.number &&
	       inode->i_sb->s_dev == config.pins.device;
}

static __always_inline int check_pin(struct inode *folder, struct dentry *entry, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_AGENT_TAMPERING, mechanism);

	if (folder->i_sb->s_magic != BPF_FS_MAGIC)
		return 0;
	if (!is_folder_of_pins(folder) && !is_folder_of_pins(entry->d_inode))
		return 0;
	return guard(SVC_TAMPERING_PIN, &seen);
}

HOOK(inode_unlink, check_pin(folder, entry, mechanism), struct inode *folder, struct dentry *entry)
HOOK(inode_rmdir, check_pin(folder, entry, mechanism), struct inode *folder, struct dentry *entry)

static __always_inline int check_renaming(struct inode *folder, struct dentry *entry,
					  struct inode *to_folder, struct dentry *to,
					  __u8 mechanism)
{
	return check_pin(folder, entry, mechanism) ?: check_pin(to_folder, to, mechanism);
}

HOOK(inode_rename, check_renaming(folder, entry, to_folder, to, mechanism), struct inode *folder,
     struct dentry *entry, struct inode *to_folder, struct dentry *to)

/* With its last mount the file system goes, and the pins with it. */
static __always_inline int check_umount(struct vfsmount *mount, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_AGENT_TAMPERING, mechanism);
	struct super_block *block = mount->mnt_sb;

	if (block->s_magic != BPF_FS_MAGIC || block->s_dev != config.pins.device)
		return 0;
	return guard(SVC_TAMPERING_MOUNT, &seen);
}

HOOK(sb_umount, check_umount(mount, mechanism), struct vfsmount *mount)

/* The next one may begin. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(notice_agent_exit, struct task_struct *task)
{
	struct svc_agent_state *state = agent_state();

	if (state && task->pid == task->tgid && state->agent_pid == (__u32)task->tgid)
		state->agent_pid = 0;
	return 0;
}

#endif
