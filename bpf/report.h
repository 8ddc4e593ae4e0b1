/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Writes an event into a ring: reserve, fill, submit. */
#ifndef SVC_REPORT_H
#define SVC_REPORT_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "typed.h"

/* Never shared with the ring of everything: the noise of one cannot cost an event of the other. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} violations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} everything SEC(".maps");

/* How many events found their ring full: ring * SVC_KINDS_MAX + kind. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SVC_RINGS * SVC_KINDS_MAX);
	__type(key, __u32);
	__type(value, __u64);
} dropped SEC(".maps");

/*
 * How often programs of a mechanism ran, by enum svc_mechanism. A hook of LSM loads and attaches
 * without an error on a kernel that never calls it. So a hook counts as present when its number has
 * grown.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SVC_MECHANISMS);
	__type(key, __u32);
	__type(value, __u64);
} hook_runs SEC(".maps");

/* The last number of each ring, whose events may come from programs of an earlier agent. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SVC_RINGS);
	__type(key, __u32);
	__type(value, __u64);
} sequences SEC(".maps");

static __always_inline __u64 next_sequence(__u32 ring)
{
	__u64 *sequence = bpf_map_lookup_elem(&sequences, &ring);

	return sequence ? __sync_fetch_and_add(sequence, 1) : 0;
}

static __always_inline void count_run(__u32 mechanism)
{
	__u64 *count = bpf_map_lookup_elem(&hook_runs, &mechanism);

	if (count)
		*count += 1;
}

/* One operation of the current task, as it is reported. */
struct sighting {
	/* NULL if it is about the node, or if only the address is known. */
	struct task_struct *target;
	__u64 target_address;
	__u64 registration;
	int syscall;
	/* The process of a file of /proc/PID. */
	int target_tgid;
	__u32 detail;
	__u8 kind;
	__u8 mechanism;
	__u8 abi;
	/*
	 * Set by the judge: the event is in the ring of violations, or was dropped because that was
	 * full.
	 */
	__u8 is_violation;
	__u8 decision;
	/* It was reported before. The decision about it is made all the same. */
	__u8 is_repeated;
	/* It is reported, and not stopped. */
	__u8 is_spared;
	/*
	 * An open file is used. The opening has been reported, so the use is reported only when it
	 * is stopped.
	 */
	__u8 is_use;
	/*
	 * It is used, and may have been opened in a way that nothing sees: it is reported unless that
	 * has been.
	 */
	__u8 is_late;
	/* Another program looks at reads of the process's memory. */
	__u8 leaves_memory;
	/* The number that events have for the policy that allows it. */
	__u32 policy;
};

static __always_inline void count_dropped(__u32 ring, __u32 kind)
{
	__u32 index = ring * SVC_KINDS_MAX + kind;
	__u64 *count = bpf_map_lookup_elem(&dropped, &index);

	if (count)
		*count += 1;
}

/*
 * Kernel memory is read through typed pointers, and not by bpf_probe_read_kernel, which
 * lockdown=confidentiality forbids. A pointer behind a NULL reads as 0.
 */
static __always_inline __u64 cgroup_of(struct task_struct *task)
{
	return to_read(task)->cgroups->dfl_cgrp->kn->id;
}

/*
 * A process that lives for a moment has no /proc/PID/exe any more when the agent reads the event.
 */
static __always_inline void fill_executable_name(struct svc_event *event, struct file *file)
{
	__builtin_memset(event->actor_exe_name, 0, sizeof(event->actor_exe_name));
	if (config.read_kernel && file)
		bpf_probe_read_kernel_str(event->actor_exe_name, sizeof(event->actor_exe_name),
					  BPF_CORE_READ(file, f_path.dentry, d_name.name));
}

static __always_inline void fill_executable(struct svc_event *event, struct task_struct *task)
{
	struct mm_struct *mm = to_read(task)->mm;
	struct file *file = mm ? mm->exe_file : 0;

	event->actor_exe_inode = file ? file->f_inode->i_ino : 0;
	event->actor_exe_device = file ? file->f_inode->i_sb->s_dev : 0;
	fill_executable_name(event, file);
}

static __always_inline void fill_actor(struct svc_event *event)
{
	struct task_struct *task = to_read(bpf_get_current_task_btf());

	event->actor_pid = task->tgid;
	event->actor_tid = task->pid;
	event->actor_ppid = task->real_parent->tgid;
	event->actor_uid = bpf_get_current_uid_gid();
	event->actor_start_ns = task->group_leader->start_boottime;
	event->actor_cgroup = cgroup_of(task);
	fill_executable(event, task);
	bpf_get_current_comm(event->actor_comm, sizeof(event->actor_comm));
}

static __always_inline void fill_target(struct svc_event *event, struct task_struct *target)
{
	event->target_tid = target ? target->pid : 0;
	event->target_pid = target ? target->tgid : 0;
	event->target_start_ns = target ? to_read(target)->group_leader->start_boottime : 0;
	event->target_cgroup = target ? cgroup_of(target) : 0;
}

static __always_inline void read_target(struct svc_event *event, __u64 address)
{
	struct task_struct *target = (void *)address;

	event->target_tid = BPF_CORE_READ(target, pid);
	event->target_pid = BPF_CORE_READ(target, tgid);
	event->target_start_ns = BPF_CORE_READ(target, group_leader, start_boottime);
	event->target_cgroup = BPF_CORE_READ(target, cgroups, dfl_cgrp, kn, id);
}

static __always_inline void fill(struct svc_event *event, const struct sighting *seen,
				 __u64 sequence)
{
	event->version = SVC_EVENT_VERSION;
	event->size = sizeof(*event);
	event->kind = seen->kind;
	event->mechanism = seen->mechanism;
	event->decision = seen->decision ?: SVC_DECISION_OBSERVED;
	event->abi = seen->abi;
	event->boot_ns = bpf_ktime_get_boot_ns();
	event->sequence = sequence;
	event->registration = seen->registration;
	event->syscall = seen->syscall;
	event->detail = seen->detail;
	event->policy = seen->policy;
	fill_actor(event);
	fill_target(event, seen->target);
	if (has_task_addresses() && seen->target_address)
		read_target(event, seen->target_address);
}

/* A separate function for each ring: the verifier wants to know which map it is. */
static __noinline int report_violation(const struct sighting *seen)
{
	__u64 sequence = next_sequence(SVC_RING_VIOLATIONS);
	struct svc_event *event = bpf_ringbuf_reserve(&violations, sizeof(*event), 0);

	if (!event) {
		count_dropped(SVC_RING_VIOLATIONS, seen->kind);
		return 0;
	}
	fill(event, seen, sequence);
	bpf_ringbuf_submit(event, 0);
	return 0;
}

static __noinline int report_to_everything(const struct sighting *seen)
{
	__u64 sequence = next_sequence(SVC_RING_EVERYTHING);
	struct svc_event *event = bpf_ringbuf_reserve(&everything, sizeof(*event), 0);

	if (!event) {
		count_dropped(SVC_RING_EVERYTHING, seen->kind);
		return 0;
	}
	fill(event, seen, sequence);
	/* Its reader comes by now and then. */
	bpf_ringbuf_submit(event, 0);
	return 0;
}

#endif
