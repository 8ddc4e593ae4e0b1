/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Identifies a file by its inode and by the kernel's own name for it. A path is not used: the
 * caller chooses it, and it may lead to another file a moment later.
 */
#ifndef SVC_FILES_H
#define SVC_FILES_H

#include "kernel.h"
#include "event.h"
#include "report.h"
#include "protection.h"
#include "task_address.h"
#include "names.h"
#include "program_settings.h"

/* Long names are elsewhere, and none of ours is long. Bytes after the NUL may be anything. */
static __always_inline void read_name(struct dentry *dentry, char name[NAME_BYTES])
{
	struct dentry___shortname *newer = (void *)dentry;
	__u64 *words = (__u64 *)name;
	const __u64 *from;

	if (bpf_core_field_exists(dentry->d_iname))
		from = (const __u64 *)__builtin_preserve_access_index(&dentry->d_iname);
	else
		from = (const __u64 *)__builtin_preserve_access_index(&newer->d_shortname);
	for (int i = 0; i < NAME_BYTES / 8; i++)
		words[i] = from[i];
}

static __always_inline __u32 process_file(const char *name, int is_written)
{
	if (IS(name, "mem"))
		return SVC_FILE_MEM;
	if (IS(name, "environ"))
		return SVC_FILE_ENVIRON;
	if (IS(name, "maps"))
		return SVC_FILE_MAPS;
	if (IS(name, "smaps"))
		return SVC_FILE_SMAPS;
	if (IS(name, "numa_maps"))
		return SVC_FILE_NUMA_MAPS;
	if (IS(name, "pagemap"))
		return SVC_FILE_PAGEMAP;
	if (IS(name, "auxv"))
		return SVC_FILE_AUXV;
	if (IS(name, "stack"))
		return SVC_FILE_STACK;
	if (IS(name, "syscall"))
		return SVC_FILE_SYSCALL;
	if (IS(name, "personality"))
		return SVC_FILE_PERSONALITY;
	if (!is_written)
		return SVC_FILE_NONE;
	if (IS(name, "coredump_filter"))
		return SVC_FILE_COREDUMP_FILTER;
	if (IS(name, "clear_refs"))
		return SVC_FILE_CLEAR_REFS;
	if (IS(name, "oom_score_adj") || IS(name, "oom_adj"))
		return SVC_FILE_OOM_SCORE_ADJ;
	return SVC_FILE_NONE;
}

/* A file by which the kernel, or the loader of programs, is told what to run; 0 for another one. */
static __always_inline __u32 program_setting(unsigned long magic, const char *name,
					     const char *folder)
{
	if (magic == SYSFS_SETTINGS_MAGIC)
		return program_setting_of_sysfs(name, folder);
	if (magic == CGROUP_SETTINGS_MAGIC)
		return program_setting_of_cgroup(name, folder);
	if (magic == BINFMT_MISC_SETTINGS_MAGIC)
		return program_setting_of_binfmt_misc(name, folder);
	return program_setting_of_any(name, folder);
}

/* A file of procfs. No process has a file of such a name. */
static __always_inline __u32 kernel_setting(const char *name, const char *folder)
{
	__u32 setting = program_setting_of_proc(name, folder);

	if (setting)
		return setting;
	if (IS(name, "core_pipe_limit"))
		return SVC_KERNEL_CORE_PIPE_LIMIT;
	if (IS(name, "suid_dumpable"))
		return SVC_KERNEL_SUID_DUMPABLE;
	if (IS(name, "ptrace_scope"))
		return SVC_KERNEL_PTRACE_SCOPE;
	if (IS(name, "kptr_restrict"))
		return SVC_KERNEL_KPTR_RESTRICT;
	if (IS(name, "perf_event_paranoid"))
		return SVC_KERNEL_PERF_PARANOID;
	if (IS(name, "unprivileged_bpf_disabled"))
		return SVC_KERNEL_UNPRIVILEGED_BPF;
	if (IS(name, "sysrq-trigger"))
		return SVC_KERNEL_SYSRQ_TRIGGER;
	if (IS(name, "ftrace_enabled"))
		return SVC_KERNEL_FTRACE_ENABLED;
	if (IS(name, "kprobes-optimization"))
		return SVC_KERNEL_KPROBES_OPTIMIZATION;
	return 0;
}

/* A file of tracefs. */
static __always_inline __u32 kernel_trace(const char *name)
{
	if (IS(name, "uprobe_events"))
		return SVC_KERNEL_UPROBE_EVENTS;
	if (IS(name, "kprobe_events"))
		return SVC_KERNEL_KPROBE_EVENTS;
	if (IS(name, "dynamic_events"))
		return SVC_KERNEL_DYNAMIC_EVENTS;
	return 0;
}

/* A file of debugfs: kprobes/enabled. Drivers have files of that name, too. */
static __always_inline __u32 kernel_switch(const char *name, const char *folder)
{
	return IS(name, "enabled") && IS(folder, "kprobes") ? SVC_KERNEL_KPROBES_ENABLED : 0;
}

/*
 * The names of regions of secrets if the kernel has no secret memory: packages/wrapper,
 * preload/region.c.
 */
static __always_inline int is_plain_region(const char *name)
{
	return IS(name, "memfd:svc-secrets");
}

/*
 * The task of an inode of /proc/PID, or NULL for another inode. The caller releases it. The cast
 * reads as typed pointers do: lockdown=confidentiality allows it.
 */
static __always_inline struct task_struct *task_of_inode(struct inode *inode)
{
	void *around = (void *)inode - bpf_core_field_offset(struct proc_inode, vfs_inode);
	struct pid *pid = TYPED(proc_inode, around)->pid;

	return pid ? task_of_pid(pid->numbers[0].nr) : 0;
}

/* If it cannot be so, a program that calls judge_inode is refused. */
static __always_inline int can_judge_inodes(void)
{
	return has_task_of_pid() || has_task_addresses();
}

/*
 * The current task reaches for the task of an inode of /proc/PID. Returns the answer of the hook.
 */
static __always_inline int judge_inode(struct inode *inode, struct sighting *seen)
{
	if (has_task_addresses())
		return judge_address(address_of_inode(inode), seen);
	return judge_and_release(task_of_inode(inode), seen);
}

#endif
