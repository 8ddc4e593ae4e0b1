/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Hooks behind which somebody opens, uses or is given a file. */
#ifndef SVC_FILE_HOOKS_H
#define SVC_FILE_HOOKS_H

/* Descriptors of /proc/PID/mem and environ whose use is reported, with the thread that they are of. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u32);
} reported_files SEC(".maps");

static __always_inline int open_setting(__u32 setting, __u8 mechanism)
{
	struct sighting seen = {
		.kind = SVC_KIND_KERNEL_FILE,
		.mechanism = mechanism,
		.detail = setting,
		.syscall = -1,
	};

	return setting ? judge_node(&seen) : 0;
}

/* Files that ask for no ptrace check. */
static __always_inline int open_unchecked(struct inode *inode, __u32 file, __u8 mechanism)
{
	struct sighting seen = {
		.kind = SVC_KIND_PROCESS_FILE,
		.mechanism = mechanism,
		.detail = file_detail(file, 1),
		.syscall = -1,
	};

	return config.read_kernel ? judge_and_release(task_of_inode(inode), &seen) : 0;
}

static __always_inline int open_process_file(struct file *file, __u32 which, int is_written,
					     __u8 mechanism)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct opening *opening;

	if (which >= SVC_FILE_COREDUMP_FILTER)
		return open_unchecked(file->f_inode, which, mechanism);
	opening = bpf_task_storage_get(&openings, current, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!opening) {
		count_dropped(SVC_RING_VIOLATIONS, SVC_KIND_PROCESS_FILE);
		return 0;
	}
	opening->file = which;
	opening->is_written = is_written;
	return 0;
}

static __always_inline int check_open(struct file *file, __u8 mechanism)
{
	unsigned long magic = file->f_inode->i_sb->s_magic;
	int is_written = file->f_mode & FMODE_WRITE;
	char name[NAME_BYTES];
	struct opening *stale;
	__u32 which;

	/* What was opened before and not asked for. */
	stale = bpf_task_storage_get(&openings, bpf_get_current_task_btf(), 0, 0);
	if (stale)
		stale->file = SVC_FILE_NONE;
	if (magic != PROC_SUPER_MAGIC && magic != TRACEFS_MAGIC)
		return 0;
	read_name(file->f_path.dentry, name);
	if (magic == TRACEFS_MAGIC)
		return is_written ? open_setting(kernel_trace(name), mechanism) : 0;
	which = process_file(name, is_written);
	if (which)
		return open_process_file(file, which, is_written, mechanism);
	return is_written ? open_setting(kernel_setting(name), mechanism) : 0;
}

HOOK(file_open, check_open(file, mechanism), struct file *file)

/*
 * A descriptor that was open before the registration asks for no check any more. Of one process it is one event,
 * however often it is used.
 */
static __always_inline int check_use(struct file *file, __u8 mechanism)
{
	struct sighting seen = {
		.kind = SVC_KIND_PROCESS_FILE,
		.mechanism = mechanism,
		.syscall = -1,
	};
	char name[NAME_BYTES];
	__u64 key = (__u64)file;
	struct task_struct *target;
	__u32 *reported;
	__u32 thread;
	int answer;

	if (file->f_inode->i_sb->s_magic != PROC_SUPER_MAGIC)
		return 0;
	read_name(file->f_path.dentry, name);
	if (!IS(name, "mem") && !IS(name, "environ"))
		return 0;
	if (LINUX_KERNEL_VERSION < KERNEL_VERSION(6, 2, 0) || !config.read_kernel)
		return 0;
	target = task_of_inode(file->f_inode);
	if (!target)
		return 0;
	thread = target->pid;
	reported = bpf_map_lookup_elem(&reported_files, &key);
	if (reported && *reported == thread) {
		bpf_task_release(target);
		return 0;
	}
	bpf_map_update_elem(&reported_files, &key, &thread, BPF_ANY);
	seen.detail = file_detail(process_file(name, 0), file->f_mode & FMODE_WRITE);
	answer = judge_and_release(target, &seen);
	return answer;
}

HOOK(file_permission, check_use(file, mechanism), struct file *file, int mask)

/* By SCM_RIGHTS or pidfd_getfd. It is mapped only by those who have such a descriptor. */
static __always_inline int check_receive(struct file *file, __u8 mechanism)
{
	struct sighting seen = {
		.kind = SVC_KIND_SECRET_DESCRIPTOR,
		.mechanism = mechanism,
		.syscall = -1,
	};

	if (file->f_inode->i_sb->s_magic != SECRETMEM_MAGIC)
		return 0;
	/* A wrapper's or a program's of ours. */
	if (protection_of(bpf_get_current_task_btf()))
		return 0;
	report_violation(&seen);
	return verdict();
}

HOOK(file_receive, check_receive(file, mechanism), struct file *file)

#endif
