/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* For kernels without hooks: files of the current task, by their descriptors. */
#ifndef SVC_WATCH_FILES_H
#define SVC_WATCH_FILES_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "config.h"
#include "report.h"
#include "decision.h"
#include "protection.h"
#include "files.h"
#include "hooks.h"
#include "regions.h"
#include "task_hooks.h"
#include "token_files.h"
#include "refuse_calls.h"
#include "syscalls.h"
#include "typed.h"

/* include/uapi/linux/stat.h, and drivers/char/mem.c: major 1 with minor 1 is mem, with 4 port. */
#define S_IFMT 0170000
#define S_IFCHR 0020000
#define DEVICE_MEM (1 << 20 | 1)
#define DEVICE_PORT (1 << 20 | 4)

static __always_inline struct file *file_of_descriptor(__u32 fd)
{
	struct task_struct *task = to_read(bpf_get_current_task_btf());
	struct fdtable *table = task->files->fdt;
	struct file **files, *file = 0;
	__u32 room;

	if (has_casts()) {
		table = TYPED(fdtable, table);
		files = table->fd;
		room = table->max_fds;
	} else {
		files = BPF_CORE_READ(table, fd);
		room = BPF_CORE_READ(table, max_fds);
	}
	if (fd >= room)
		return 0;
	if (bpf_probe_read_kernel(&file, sizeof(file), files + fd))
		return 0;
	return file;
}

static __always_inline void read_name_of(struct dentry *dentry, char name[NAME_BYTES])
{
	struct dentry___shortname *newer = (void *)dentry;

	if (has_casts()) {
		read_name(TYPED(dentry, dentry), name);
		return;
	}
	if (bpf_core_field_exists(dentry->d_iname))
		bpf_core_read(name, NAME_BYTES, &dentry->d_iname);
	else
		bpf_core_read(name, NAME_BYTES, &newer->d_shortname);
}

/* A kind of attempt, and its detail. */
#define FINDING(kind, detail) ((__u64)(kind) << 32 | (detail))

/* Nothing, if the detail is 0. */
static __always_inline __u64 finding(__u8 kind, __u32 detail)
{
	return detail ? FINDING(kind, detail) : 0;
}

/* The facts about an open file. */
struct open_file {
	struct dentry *dentry;
	unsigned long magic;
	/* FMODE_* */
	__u32 mode;
	/* The inode's: S_IF*, and the numbers of a device. */
	__u32 type;
	__u32 device;
	/* Its file system's. */
	__u32 volume;
};

static __always_inline struct open_file open_file_at(__u64 address)
{
	struct file *file = (void *)address;
	struct open_file found = {};
	struct inode *inode;

	if (has_casts()) {
		file = TYPED(file, address);
		inode = file->f_inode;
		found.magic = inode->i_sb->s_magic;
		found.volume = inode->i_sb->s_dev;
		found.type = inode->i_mode & S_IFMT;
		found.device = inode->i_rdev;
		found.dentry = file->f_path.dentry;
		found.mode = file->f_mode;
		return found;
	}
	inode = BPF_CORE_READ(file, f_inode);
	found.magic = BPF_CORE_READ(inode, i_sb, s_magic);
	found.volume = BPF_CORE_READ(inode, i_sb, s_dev);
	found.type = BPF_CORE_READ(inode, i_mode) & S_IFMT;
	found.device = BPF_CORE_READ(inode, i_rdev);
	found.dentry = BPF_CORE_READ(file, f_path.dentry);
	found.mode = BPF_CORE_READ(file, f_mode);
	return found;
}

static __always_inline __u64 device_finding(const struct open_file *file)
{
	if (file->type != S_IFCHR)
		return 0;
	if (file->device == DEVICE_MEM)
		return FINDING(SVC_KIND_KERNEL_MEMORY, SVC_MEMORY_DEV_MEM);
	if (file->device == DEVICE_PORT)
		return FINDING(SVC_KIND_KERNEL_MEMORY, SVC_MEMORY_IOPORT);
	return 0;
}

/* A memfd can be opened by /proc/PID/fd, secret memory cannot. */
static __always_inline __u64 memory_finding(const struct open_file *file, const char *name)
{
	if (token_volume(file->volume))
		return FINDING(SVC_KIND_TOKEN_FILE, 0);
	return is_plain_region(name) ? FINDING(SVC_KIND_SECRET_DESCRIPTOR, 0) :
				       device_finding(file);
}

static __always_inline __u64 switch_finding(struct dentry *dentry)
{
	char name[NAME_BYTES] = {}, folder[NAME_BYTES] = {};

	read_name_of(dentry, name);
	read_name_of(BPF_CORE_READ(dentry, d_parent), folder);
	return finding(SVC_KIND_KERNEL_FILE, kernel_switch(name, folder));
}

static __always_inline __u64 program_finding(struct dentry *dentry, unsigned long magic)
{
	char name[NAME_BYTES] = {}, folder[NAME_BYTES] = {};

	read_name_of(dentry, name);
	read_name_of(BPF_CORE_READ(dentry, d_parent), folder);
	return finding(SVC_KIND_KERNEL_FILE, program_setting(magic, name, folder));
}

static __always_inline __u64 setting_finding(struct dentry *dentry, const char *name)
{
	char folder[NAME_BYTES] = {};

	read_name_of(BPF_CORE_READ(dentry, d_parent), folder);
	return finding(SVC_KIND_KERNEL_FILE, kernel_setting(name, folder));
}

static __always_inline __u64 procfs_finding(struct dentry *dentry, const char *name, int is_written)
{
	__u32 which = process_file(name, is_written);

	if (which)
		return FINDING(SVC_KIND_PROCESS_FILE, file_detail(which, is_written));
	if (IS(name, "kcore"))
		return FINDING(SVC_KIND_KERNEL_MEMORY, SVC_MEMORY_KCORE);
	return is_written ? setting_finding(dentry, name) : 0;
}

/*
 * The attempt that it may be to use the file at this address; 0 for none. A global function, as
 * ask_policies is.
 */
__noinline __u64 finding_of(__u64 address)
{
	struct open_file file = open_file_at(address);
	struct dentry *dentry = file.dentry;
	unsigned long magic = file.magic;
	int is_written = file.mode & FMODE_WRITE;
	char name[NAME_BYTES] = {};
	__u64 found;

	/*
	 * Container runtimes have one of each file that they mask. A process that opens a file
	 * through it is seen then.
	 */
	if (file.mode & FMODE_PATH)
		return 0;
	if (magic == SECRETMEM_MAGIC)
		return FINDING(SVC_KIND_SECRET_DESCRIPTOR, 0);
	if (magic == DEBUGFS_MAGIC)
		return is_written ? switch_finding(dentry) : 0;
	found = is_written && magic != PROC_SUPER_MAGIC ? program_finding(dentry, magic) : 0;
	if (found)
		return found;
	if (magic != PROC_SUPER_MAGIC && magic != TRACEFS_MAGIC && magic != TMPFS_MAGIC)
		return device_finding(&file);
	read_name_of(dentry, name);
	if (magic == TMPFS_MAGIC)
		return memory_finding(&file, name);
	if (magic == TRACEFS_MAGIC)
		return is_written ? finding(SVC_KIND_KERNEL_FILE, kernel_trace(name)) : 0;
	return procfs_finding(dentry, name, is_written);
}

/* As identify, of an inode that is only known by its address. */
static __always_inline struct svc_inode key_of_region(struct inode *inode)
{
	struct svc_inode key = {};

	key.number = BPF_CORE_READ(inode, i_ino);
	key.device = BPF_CORE_READ(inode, i_sb, s_dev);
	return key;
}

static __always_inline int see_region(struct sighting *seen, struct inode *inode)
{
	enum region_access access = seen->is_use ? REGION_IS_USED : REGION_IS_GIVEN;
	struct svc_inode key = key_of_region(inode);

	return judge_region(access, &key, seen);
}

static __always_inline int see_token(struct sighting *seen, struct inode *inode,
				     struct dentry *dentry)
{
	__u64 volume = token_volume(BPF_CORE_READ(inode, i_sb, s_dev));
	char name[NAME_BYTES] = {};

	read_name_of(dentry, name);
	return open_token(volume, BPF_CORE_READ(inode, i_ino), name, seen);
}

static __always_inline int is_memory(__u32 detail)
{
	__u32 which = detail & ~SVC_FILE_WRITTEN;

	return which == SVC_FILE_MEM || which == SVC_FILE_ENVIRON;
}

static __always_inline int see_file(struct sighting *seen, struct file *file)
{
	__u64 found = finding_of((__u64)file);
	struct inode *inode;

	if (!found)
		return 0;
	seen->kind = found >> 32;
	seen->detail = found;
	inode = BPF_CORE_READ(file, f_inode);
	switch (seen->kind) {
	case SVC_KIND_SECRET_DESCRIPTOR:
		return see_region(seen, inode);
	case SVC_KIND_TOKEN_FILE:
		return see_token(seen, inode, BPF_CORE_READ(file, f_path.dentry));
	case SVC_KIND_PROCESS_FILE:
		if (seen->leaves_memory && is_memory(seen->detail))
			return 0;
		return judge_inode(inode, seen);
	case SVC_KIND_KERNEL_FILE:
	case SVC_KIND_KERNEL_MEMORY:
		return judge_node(seen);
	}
	return 0;
}

#endif
