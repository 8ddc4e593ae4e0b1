/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Policies let processes do things that are refused otherwise. The agent writes them. Each policy
 * is a bit, and a map has the bits of all policies that name a key. The bits that are left after
 * all questions let an attempt through.
 */
#ifndef SVC_POLICIES_H
#define SVC_POLICIES_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "inodes.h"
#include "policy_cgroups.h"
#include "policy_layout.h"
#include "report.h"
#include "state.h"

/* In how many groups a user is looked for. */
#define GROUPS_MAX 32

/* Since Linux 6.13: a process has asked for the time. */
#define CTIME_QUERIED (1u << 31)

/* Two sets, of which one is in force: the agent writes the other one. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct svc_policies);
} policies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} policies_in_force SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct svc_inode);
	__type(value, struct svc_executable);
} policy_executables SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} policy_users SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} policy_groups SEC(".maps");

static __always_inline int is_unchanged(struct inode *inode, const struct svc_executable *known)
{
	struct inode___underscored *newer = (void *)inode;
	struct inode___apart *newest = (void *)inode;
	__u64 seconds;
	__u32 nanoseconds;

	if (bpf_core_field_exists(inode->i_ctime)) {
		seconds = inode->i_ctime.tv_sec;
		nanoseconds = inode->i_ctime.tv_nsec;
	} else if (bpf_core_field_exists(newer->__i_ctime)) {
		seconds = newer->__i_ctime.tv_sec;
		nanoseconds = newer->__i_ctime.tv_nsec;
	} else {
		seconds = newest->i_ctime_sec;
		nanoseconds = newest->i_ctime_nsec & ~CTIME_QUERIED;
	}
	return (__u64)inode->i_size == known->size && seconds == known->changed_s &&
	       nanoseconds == known->changed_ns;
}

/*
 * Policies that name the file that a task runs, if it is unchanged since the agent took its digest.
 */
static __always_inline __u64 policies_of_file(struct task_struct *task)
{
	struct inode *inode = to_read(task)->mm->exe_file->f_inode;
	struct svc_inode key = identify(inode);
	struct svc_executable *known = bpf_map_lookup_elem(&policy_executables, &key);

	return known && is_unchanged(inode, known) ? known->policies : 0;
}

static __always_inline __u64 policies_of_executable(const struct svc_protection *own)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!own || !(own->flags & SVC_TRUSTED) || own->flags & SVC_REACHED || task->ptrace)
		return 0;
	return policies_of_file(task);
}

static __always_inline __u64 policies_of_group(__u32 group)
{
	__u64 *named = bpf_map_lookup_elem(&policy_groups, &group);

	return named ? *named : 0;
}

/* If lockdown=confidentiality forbids to read it, a user is in the first group only. */
static __always_inline __u64 policies_of_groups(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct group_info *groups;
	__u64 found = 0;
	void *list;
	int count;

	if (!config.read_kernel)
		return 0;
	groups = BPF_CORE_READ(task, cred, group_info);
	count = BPF_CORE_READ(groups, ngroups);
	list = (void *)groups + bpf_core_field_offset(struct group_info, gid);
	for (int i = 0; i < GROUPS_MAX; i++) {
		__u32 group = 0;

		if (i >= count)
			break;
		if (!bpf_probe_read_kernel(&group, sizeof(group), list + i * sizeof(group)))
			found |= policies_of_group(group);
	}
	return found;
}

static __noinline __u64 policies_of_user(void)
{
	__u64 ids = bpf_get_current_uid_gid();
	__u32 user = ids, group = ids >> 32;
	__u64 *named = bpf_map_lookup_elem(&policy_users, &user);

	return (named ? *named : 0) | policies_of_group(group) | policies_of_groups();
}

/*
 * Any user is root in its own user namespace, and gives programs another root directory there.
 */
static __always_inline int is_in_machine(void)
{
	struct task_struct *task = to_read(bpf_get_current_task_btf());

	return config.mount_namespace && !task->cred->user_ns->level &&
	       task->nsproxy->mnt_ns->ns.inum == config.mount_namespace;
}

/* The agent and allowed programs have no registration. No policy lets a process reach for them. */
static __always_inline int has_no_policies(__u64 registration, __u32 has_target,
					   const struct svc_protection *own)
{
	if (!registration)
		return has_target;
	/* Nor a registered program with its own. */
	return own && own->registration == registration;
}

/*
 * Those that have not ended. The highest bit of a difference is its sign: no branch, so the
 * verifier sees one path.
 */
static __always_inline __u64 without_ended(const struct svc_policies *all, __u64 left)
{
	__u64 now = bpf_ktime_get_boot_ns();
	__u64 lasting = 0;

	for (int place = 0; place < SVC_POLICIES_MAX; place++)
		lasting |= ((now - all->ends_ns[place]) >> 63) << place;
	return left & lasting;
}

/* Each question costs more than the one before. */
static __always_inline __u64 policies_that_fit(const struct svc_policies *all, __u32 kind,
					       __u64 registration, __u32 has_target)
{
	struct svc_protection *own;
	__u64 left = all->live & all->kinds[kind & (SVC_KINDS_MAX - 1)];

	if (!left || !agent_lives())
		return 0;
	own = protection_of(bpf_get_current_task_btf());
	if (has_no_policies(registration, has_target, own))
		return 0;
	if (left & ~all->anywhere && !is_in_machine())
		left &= all->anywhere;
	if (left & ~all->any_executable)
		left &= all->any_executable | policies_of_executable(own);
	if (left & ~all->any_user)
		left &= all->any_user | policies_of_user();
	if (left & ~all->any_cgroup)
		left &= all->any_cgroup | policies_of_cgroup(bpf_get_current_task_btf());
	return left ? without_ended(all, left) : 0;
}

/* The place of the lowest bit that is set. */
static __always_inline __u32 lowest_of(__u64 bits)
{
	__u32 place = 0;

#pragma unroll
	for (int half = 32; half; half /= 2) {
		if (!(bits & ((1ull << half) - 1))) {
			bits >>= half;
			place += half;
		}
	}
	return place;
}

/* In the upper half the number of a policy, in the lower one its decision. */
#define POLICY_ANSWER(number, decision) ((__u64)(number) << 32 | (decision))

/*
 * The answer of the policies about the attempt: SVC_DECISION_ALLOWED, SVC_DECISION_WOULD_BLOCK, or
 * 0. It is a global function with numbers for arguments, so that the verifier looks at it once. It
 * looks at a static function again for each path that calls it, which took seconds.
 */
__noinline __u64 ask_policies(__u32 kind, __u64 registration, __u32 has_target)
{
	__u32 first = 0, *in_force = bpf_map_lookup_elem(&policies_in_force, &first);
	struct svc_policies *all = in_force ? bpf_map_lookup_elem(&policies, in_force) : 0;
	__u64 fitting, allowing;
	__u32 number;

	if (!all)
		return 0;
	fitting = policies_that_fit(all, kind, registration, has_target);
	allowing = fitting & all->allowing;
	if (!allowing)
		fitting &= all->dry;
	if (!fitting)
		return 0;
	number = all->numbers[lowest_of(allowing ?: fitting) & (SVC_POLICIES_MAX - 1)];
	return POLICY_ANSWER(number, allowing ? SVC_DECISION_ALLOWED : SVC_DECISION_WOULD_BLOCK);
}

#endif
