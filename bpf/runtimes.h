/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Container runtimes, which enter the namespaces of programs (kubectl exec). */
#ifndef SVC_RUNTIMES_H
#define SVC_RUNTIMES_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "inodes.h"

/* Their executables; the agent knows their places. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, struct svc_inode);
	__type(value, __u32);
} runtimes SEC(".maps");

/*
 * Recognises a runtime by its executable and the place of that, never by a name: a container can
 * have a file of the same name.
 */
static __always_inline int is_runtime(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct svc_inode executable;

	if (to_read(task)->nsproxy->mnt_ns->ns.inum != config.mount_namespace)
		return 0;
	executable = executable_of(task);
	return bpf_map_lookup_elem(&runtimes, &executable) != 0;
}

#endif
