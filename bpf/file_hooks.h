/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Hooks that the kernel calls when a process opens or uses a file, or is given one. */
#ifndef SVC_FILE_HOOKS_H
#define SVC_FILE_HOOKS_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "report.h"
#include "protection.h"
#include "task_address.h"
#include "files.h"
#include "hooks.h"
#include "regions.h"
#include "task_hooks.h"
#include "token_files.h"

static __always_inline int open_setting(__u32 setting, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_KERNEL_FILE, mechanism);

	seen.detail = setting;
	return setting ? judge_node(&seen) : 0;
}

static __always_inline int open_switch(struct dentry *dentry, __u8 mechanism)
{
	char name[NAME_BYTES], folder[NAME_BYTES];

	read_name(dentry, name);
	read_name(dentry->d_parent, folder);
	return open_setting(kernel_switch(name, folder), mechanism);
}

/* Not of procfs. */
static __always_inline int open_program_setting(struct file *file, __u8 mechanism)
{
	struct dentry *dentry = file->f_path.dentry;
	char name[NAME_BYTES], folder[NAME_BYTES];

	read_name(dentry, name);
	read_name(dentry->d_parent, folder);
	return open_setting(program_setting(file->f_inode->i_sb->s_magic, name, folder), mechanism);
}

/* The opened file is one of procfs. */
static __always_inline int open_procfs_setting(struct file *file, const char *name, __u8 mechanism)
{
	char folder[NAME_BYTES];

	read_name(file->f_path.dentry->d_parent, folder);
	return open_setting(kernel_setting(name, folder), mechanism);
}

/* Files that ask for no ptrace check. */
static __always_inline int open_unchecked(struct inode *inode, __u32 detail, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_PROCESS_FILE, mechanism);

	seen.detail = detail;
	return can_judge_inodes() ? judge_inode(inode, &seen) : 0;
}

static __always_inline int open_process_file(struct file *file, __u32 which, int is_written,
					     __u8 mechanism)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct opening *opening;

	if (which >= SVC_FILE_COREDUMP_FILTER)
		return open_unchecked(file->f_inode, file_detail(which, 1), mechanism);
	opening = bpf_task_storage_get(&openings, current, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!opening) {
		count_dropped(SVC_RING_VIOLATIONS, SVC_KIND_PROCESS_FILE);
		return 0;
	}
	opening->key = (__u64)file;
	opening->file = which;
	opening->is_written = is_written;
	return 0;
}

/* swapon(2) opens the file that it is given. It has no separate hook. */
static __always_inline int open_swap(__u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_SWAP_SPACE, mechanism);

	return is_call(&seen, NATIVE_swapon, COMPAT_swapon) ? judge_node(&seen) : 0;
}

/* A file of a pod's volume, or a memfd, which can be opened by /proc/PID/fd only. */
static __always_inline int open_in_memory(struct file *file, const char *name, __u8 mechanism)
{
	__u64 volume = token_volume(file->f_inode->i_sb->s_dev);
	struct sighting seen;

	if (!volume)
		return is_plain_region(name) ?
			       judge_region_file(REGION_IS_GIVEN, file, mechanism) :
			       0;
	seen = sighting(SVC_KIND_TOKEN_FILE, mechanism);
	return open_token(volume, file->f_inode->i_ino, name, &seen);
}

static __always_inline int check_open(struct file *file, __u8 mechanism)
{
	unsigned long magic = file->f_inode->i_sb->s_magic;
	int is_written = file->f_mode & FMODE_WRITE;
	char name[NAME_BYTES];
	struct opening *stale;
	__u32 which;

	if (is_written && open_swap(mechanism))
		return -EPERM;

	/* A file opened earlier, on which procfs made no ptrace check. */
	stale = bpf_task_storage_get(&openings, bpf_get_current_task_btf(), 0, 0);
	if (stale)
		stale->file = SVC_FILE_NONE;
	if (magic == DEBUGFS_MAGIC)
		return is_written ? open_switch(file->f_path.dentry, mechanism) : 0;
	if (is_written && magic != PROC_SUPER_MAGIC && open_program_setting(file, mechanism))
		return -EPERM;
	if (magic != PROC_SUPER_MAGIC && magic != TRACEFS_MAGIC && magic != TMPFS_MAGIC)
		return 0;
	read_name(file->f_path.dentry, name);
	if (magic == TMPFS_MAGIC)
		return open_in_memory(file, name, mechanism);
	if (magic == TRACEFS_MAGIC)
		return is_written ? open_setting(kernel_trace(name), mechanism) : 0;
	which = process_file(name, is_written);
	if (which)
		return open_process_file(file, which, is_written, mechanism);
	return is_written ? open_procfs_setting(file, name, mechanism) : 0;
}

HOOK(file_open, check_open(file_to_read(file), mechanism), struct file *file)

/*
 * Opened directly, or as a part of a path: readlink does not follow the link, so lsof and ls are
 * not reported. The link itself is checked, because its file may be opened again by another name
 * (O_PATH).
 */
static __always_inline int check_link(struct dentry *link, struct inode *inode, __u8 mechanism)
{
	char folder[NAME_BYTES];

	if (inode->i_sb->s_magic != PROC_SUPER_MAGIC)
		return 0;
	read_name(link->d_parent, folder);
	return IS(folder, "map_files") ? open_unchecked(inode, SVC_FILE_MAP_FILES, mechanism) : 0;
}

HOOK(inode_follow_link, check_link(link, inode, mechanism), struct dentry *link,
     struct inode *inode)

static __always_inline int use_by_address(__u64 key, struct inode *inode, struct sighting *seen)
{
	__u64 target = address_of_inode(inode);
	__u32 tid = target ? tid_at(target) : 0;
	int answer;

	seen->is_repeated = is_noted(key, tid);
	if (seen->is_repeated && !is_stopping())
		return 0;
	answer = judge_address(target, seen);
	if (seen->is_violation)
		note_use(key, tid);
	return answer;
}

static __always_inline int use_by_task(__u64 key, struct inode *inode, struct sighting *seen)
{
	struct task_struct *target = task_of_inode(inode);
	int answer = 0;

	if (!target)
		return 0;
	seen->is_repeated = is_noted(key, target->pid);
	if (!seen->is_repeated || is_stopping()) {
		seen->target = target;
		answer = judge(seen);
		if (seen->is_violation)
			note_use(key, target->pid);
	}
	bpf_task_release(target);
	return answer;
}

/*
 * A descriptor that was open before the registration, or that another process opened, asks for no
 * check any more.
 */
static __always_inline int check_use(struct file *file, __u8 mechanism)
{
	unsigned long magic = file->f_inode->i_sb->s_magic;
	char name[NAME_BYTES];

	if (magic == TMPFS_MAGIC)
		return judge_region_file(REGION_IS_USED, file, mechanism);
	if (magic != PROC_SUPER_MAGIC)
		return 0;
	if (!can_judge_inodes())
		return 0;
	read_name(file->f_path.dentry, name);
	if (!IS(name, "mem") && !IS(name, "environ"))
		return 0;
	struct sighting seen = sighting(SVC_KIND_PROCESS_FILE, mechanism);

	seen.detail = file_detail(process_file(name, 0), file->f_mode & FMODE_WRITE);
	if (has_task_addresses())
		return use_by_address((__u64)file, file->f_inode, &seen);
	return use_by_task((__u64)file, file->f_inode, &seen);
}

HOOK(file_permission, check_use(file_to_read(file), mechanism), struct file *file, int mask)

/* By SCM_RIGHTS. */
static __always_inline int check_receive(struct file *file, __u8 mechanism)
{
	struct sighting seen = sighting(SVC_KIND_SECRET_DESCRIPTOR, mechanism);

	/* That of pidfd_getfd(2) has asked for the ptrace check. */
	if (is_call(&seen, NATIVE_pidfd_getfd, COMPAT_pidfd_getfd))
		return 0;
	return judge_region_file(REGION_IS_GIVEN, file, mechanism);
}

HOOK(file_receive, check_receive(file_to_read(file), mechanism), struct file *file)

/*
 * A descriptor that the process had before the agent watched it, or inherited from its parent.
 * Anonymous memory has none.
 */
static __always_inline int check_map(struct file *file, __u8 mechanism)
{
	return file ? judge_region_file(REGION_IS_USED, file_to_read(file), mechanism) : 0;
}

HOOK(mmap_file, check_map(file, mechanism), struct file *file)

#endif
