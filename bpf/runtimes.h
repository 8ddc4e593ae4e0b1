/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Container runtimes, which enter the namespaces of programs (kubectl exec). */
#ifndef SVC_RUNTIMES_H
#define SVC_RUNTIMES_H

#include "kernel.h"
#include "event.h"
#include "config.h"

/* Their executables; the agent knows where they are. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, struct svc_inode);
	__type(value, __u32);
} runtimes SEC(".maps");

/* Recognises a runtime by its executable and the place of that, never by a name: a container can
 * have a file of the same name. */
static __always_inline int is_runtime(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct inode *executable = task->mm->exe_file->f_inode;
	struct svc_inode inode = {};

	if (task->nsproxy->mnt_ns->ns.inum != config.mount_namespace)
		return 0;
	inode.number = executable->i_ino;
	inode.device = executable->i_sb->s_dev;
	return bpf_map_lookup_elem(&runtimes, &inode) != 0;
}

#endif
