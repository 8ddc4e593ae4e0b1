/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * For kernels without hooks: the ends of calls. A file is looked at by its descriptor when it has
 * been opened. A call that failed is not seen.
 *
 * Calls whose arguments lie in memory are judged a second time here, by the kernel's copy. At their
 * entry that memory may be unknown (user_memory.h), and another thread may rewrite it until the
 * kernel copies it.
 */
#ifndef SVC_WATCH_RESULTS_H
#define SVC_WATCH_RESULTS_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "config.h"
#include "report.h"
#include "decision.h"
#include "protection.h"
#include "task_address.h"
#include "files.h"
#include "task_hooks.h"
#include "node_hooks.h"
#include "guard_hooks.h"
#include "refuse_calls.h"
#include "syscalls.h"
#include "watch_files.h"

/*
 * The newest event of perf_event_open(2) that the current task owns; 0 without one. The kernel's
 * list is read, because another thread may put another file in the descriptor's place.
 */
static __always_inline struct perf_event *newest_sampling(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 list = (__u64)task + bpf_core_field_offset(struct task_struct, perf_event_list);
	__u64 newest = (__u64)BPF_CORE_READ(task, perf_event_list.prev);

	if (!newest || newest == list)
		return 0;
	return (void *)(newest - bpf_core_field_offset(struct perf_event, owner_entry));
}

static __always_inline int judge_sampling(struct sighting *seen)
{
	struct perf_event *event = newest_sampling();
	struct task_struct *target = BPF_CORE_READ(event, hw.target);
	__u8 kind = perf_kind(BPF_CORE_READ(event, attr.type),
			      BPF_CORE_READ(event, attr.sample_type), target != 0);

	if (kind) {
		seen->kind = kind;
		return judge_node(seen);
	}
	if (has_task_addresses())
		return judge_address((__u64)target, seen);
	return judge_and_release(task_of_pid(BPF_CORE_READ(target, pid)), seen);
}

/* include/linux/anon_inodes.h: such a file has the name that the kernel gave it. */
static __always_inline int is_of_bpf(struct file *file, const char *name)
{
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	char found[NAME_BYTES] = {};

	if (BPF_CORE_READ(file, f_inode, i_sb, s_magic) != ANON_INODE_FS_MAGIC)
		return 0;
	read_name_of(dentry, found);
	return __builtin_memcmp(found, name, sizeof("bpf-map")) == 0;
}

/* The map of a file; 0 if it has none. */
static __always_inline __u32 map_of_file(struct file *file)
{
	struct bpf_map *map;

	if (!is_of_bpf(file, "bpf-map"))
		return 0;
	map = BPF_CORE_READ(file, private_data);
	return BPF_CORE_READ(map, id);
}

struct maps_of_table {
	__u64 files;
	__u32 own;
};

static long find_own_map(__u32 descriptor, struct maps_of_table *maps)
{
	struct file *file = 0;
	__u32 id;

	bpf_probe_read_kernel(&file, sizeof(file),
			      (void *)(maps->files + (__u64)descriptor * sizeof(file)));
	id = file ? map_of_file(file) : 0;
	if (!id || !is_own_map(id))
		return 0;
	maps->own = id;
	return 1;
}

/*
 * The call found a map. Its descriptor may be elsewhere in the table by now, so all of the table is
 * looked at.
 */
static __always_inline int judge_found_map(struct sighting *seen)
{
	struct fdtable *table = BPF_CORE_READ(bpf_get_current_task_btf(), files, fdt);
	struct maps_of_table maps = { .files = (__u64)BPF_CORE_READ(table, fd) };

	if (bpf_loop(BPF_CORE_READ(table, max_fds), find_own_map, &maps, 0) < 0)
		return guard(SVC_TAMPERING_MAP, seen);
	return maps.own ? guard_map(maps.own, seen) : 0;
}

static __always_inline int judge_loaded(struct file *file, struct sighting *seen)
{
	struct bpf_prog *program = BPF_CORE_READ(file, private_data);

	if (is_of_bpf(file, "bpf-prog") && is_ordinary_program(BPF_CORE_READ(program, type)))
		return 0;
	return judge_node(seen);
}

/* The process that a call names and reaches for; 0 for other calls. */
static __always_inline int named_process(const struct call *call)
{
	int first = first_argument_after(call);

	switch (call->kind) {
	case SVC_KIND_PTRACE:
		return first == PTRACE_ATTACH || first == PTRACE_SEIZE ? second_argument(call) : 0;
	case SVC_KIND_CORE_LIMIT:
		return is_core_limit(second_argument(call)) && third_argument(call) ? first : 0;
	case SVC_KIND_VM_READ:
	case SVC_KIND_VM_WRITE:
	case SVC_KIND_MOVE_PAGES:
	case SVC_KIND_MIGRATE_PAGES:
	case SVC_KIND_ROBUST_LIST:
		return first;
	}
	return 0;
}

/*
 * Its target may have begun after the entry of the call, before the kernel looked for it. A global
 * function, as ask_policies is.
 */
__noinline int judge_named(__u32 kind, __u32 abi, __u32 number, __u32 process, __u32 detail)
{
	struct sighting seen = {
		.kind = kind,
		.mechanism = SVC_MECHANISM_TRACING,
		.abi = abi,
		.syscall = number,
		.detail = detail,
		.is_late = 1,
	};

	return config.watch_targets ? judge_and_release(task_of_caller(process), &seen) : 0;
}

static __always_inline void judge_target(const struct call *call)
{
	int process = named_process(call);
	__u32 detail = call->kind == SVC_KIND_PTRACE ? first_argument_after(call) : 0;

	if (process)
		judge_named(call->kind, call->abi, call->number, process, detail);
}

/*
 * The call has succeeded. It cannot be refused any more. A global function, as ask_policies is:
 * most calls do without it.
 */
__noinline int judge_result(__u32 kind, __u32 abi, __u32 number, __u32 command, __u32 result)
{
	struct sighting seen = {
		.kind = kind,
		.mechanism = SVC_MECHANISM_TRACING,
		.abi = abi,
		.syscall = number,
		.is_late = 1,
	};

	if (kind == SVC_KIND_PERF_OPEN)
		return config.watch_targets ? judge_sampling(&seen) : 0;
	if (command == BPF_PROG_LOAD_COMMAND)
		return judge_loaded(file_of_descriptor(result), &seen);
	if (command == BPF_OBJ_GET || command == BPF_MAP_GET_FD_BY_ID)
		return judge_found_map(&seen);
	return 0;
}

/* As judge_long_table of watch_uses.h: not on the stack of the program. */
static __noinline int judge_opened(const struct call *call, __u32 result)
{
	struct sighting seen = {
		.mechanism = SVC_MECHANISM_TRACING,
		.abi = call->abi,
		.syscall = call->number,
		/* Its use is refused. */
		.is_spared = config.override,
	};

	return see_file(&seen, file_of_descriptor(result));
}

/* errno.h */
#define ENOSYS 38

/* There is no such call, or the programs of the agent before have refused it. */
static __always_inline int has_failed(long result)
{
	return result == -ENOSYS || result == -EPERM;
}

/*
 * The upper half of the register with the number is the caller's, and the kernel does not look at
 * it.
 */
SEC("tp_btf/sys_exit")
int BPF_PROG(watch_opened_files, struct pt_regs *regs, long result)
{
	struct call call = { .regs = regs };

	if (!recognise(&call, (int)id_in(regs)))
		return 0;
	if (config.override && was_not_refused() && config.killed && !has_failed(result))
		kill_actor();
	if (result < 0)
		return 0;
	if (call.kind == SVC_KIND_OPEN)
		judge_opened(&call, result);
	else if (call.kind == SVC_KIND_PERF_OPEN || call.kind == SVC_KIND_BPF_LOAD)
		judge_result(call.kind, call.abi, call.number, first_argument_after(&call), result);
	else
		judge_target(&call);
	return 0;
}

#endif
