/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * For kernels without hooks. A process that reads or writes another's memory, by a call or a file of
 * /proc/PID, takes the lock of that memory, however it opened the file. io_uring opens files without an answer
 * (IOSQE_CQE_SKIP_SUCCESS) and without a descriptor, so that only this lock is visible. It is taken
 * before the first byte is read, and the kernel reads none for a process that has been sent
 * SIGKILL.
 */
#ifndef SVC_WATCH_MEMORY_H
#define SVC_WATCH_MEMORY_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "report.h"
#include "protection.h"
#include "task_address.h"
#include "files.h"
#include "hooks.h"
#include "task_hooks.h"

/* From the tracepoint to the function of the file, which is among the first. */
#define FRAMES_MAX 16
#define SYMBOL_BYTES 16

static const char symbol_format[] SEC(".rodata.formats") = "%ps";

#define BEGINS_WITH(name, literal) (__builtin_memcmp(name, literal, sizeof(literal) - 1) == 0)

/*
 * fs/proc/base.c. The compiler may have inlined mem_rw, or replaced a call to it by a jump. Then
 * mem_write is not among the frames, and a write counts as a read.
 */
static __always_inline __u32 file_of_function(__u64 address)
{
	char name[SYMBOL_BYTES] = {};

	/* A longer stack is cut. */
	bpf_snprintf(name, sizeof(name), symbol_format, &address, sizeof(address));
	if (BEGINS_WITH(name, "mem_write"))
		return file_detail(SVC_FILE_MEM, 1);
	if (BEGINS_WITH(name, "mem_rw") || BEGINS_WITH(name, "mem_read"))
		return SVC_FILE_MEM;
	if (BEGINS_WITH(name, "environ_read"))
		return SVC_FILE_ENVIRON;
	return SVC_FILE_NONE;
}

/* The file of /proc/PID that the current task reads or writes right now. */
static __always_inline __u32 file_in_use(void *ctx)
{
	__u64 frames[FRAMES_MAX] = {};
	__u32 file = SVC_FILE_NONE;

	if (bpf_get_stack(ctx, frames, sizeof(frames), 0) < 0)
		return SVC_FILE_NONE;
	for (int i = 0; i < FRAMES_MAX && !file; i++)
		file = file_of_function(frames[i]);
	return file;
}

static __always_inline int judge_owner(struct task_struct *owner, struct sighting *seen)
{
	if (has_task_addresses())
		return judge_address((__u64)owner, seen);
	return judge_and_release(task_of_pid(owner->pid), seen);
}

/* Only for tasks that reach for protected memory the stack is walked. */
static __always_inline int is_protected_owner(struct task_struct *owner)
{
	struct svc_protection found = {};
	struct task_struct *task;
	int is_protected;

	if (has_task_addresses())
		return read_protection((__u64)owner, &found) && found.flags & SVC_PROTECTED;
	task = task_of_pid(owner->pid);
	if (!task)
		return 0;
	is_protected = shield_of_target(task) != 0;
	bpf_task_release(task);
	return is_protected;
}

/* At the entry of its call the target may not have been there: a child that begins. */
static __always_inline int copies_memory(const struct sighting *seen)
{
	return seen->kind == SVC_KIND_VM_READ || seen->kind == SVC_KIND_VM_WRITE;
}

SEC("tp_btf/mmap_lock_start_locking")
int BPF_PROG(watch_memory, struct mm_struct *mm)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct task_struct *owner;
	struct sighting seen;

	if (mm == to_read(current)->mm || current->flags & PF_KTHREAD)
		return 0;
	owner = mm->owner;
	if (!owner || !is_protected_owner(owner))
		return 0;
	seen = sighting(SVC_KIND_PROCESS_FILE, SVC_MECHANISM_TRACING);
	seen.is_late = 1;
	name_by_call(&seen);
	if (seen.kind == SVC_KIND_PROCESS_FILE)
		seen.detail = file_in_use(ctx);
	if (seen.kind == SVC_KIND_PROCESS_FILE ? seen.detail : copies_memory(&seen))
		judge_owner(owner, &seen);
	return 0;
}

#endif
