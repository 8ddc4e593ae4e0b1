/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* For kernels without hooks: uses of descriptors, at the entry of system calls. */
#ifndef SVC_WATCH_USES_H
#define SVC_WATCH_USES_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "config.h"
#include "report.h"
#include "decision.h"
#include "syscalls.h"
#include "ring_openers.h"
#include "user_memory.h"
#include "watch_files.h"

static __always_inline struct sighting sighting_of(const struct call *call)
{
	struct sighting seen = {
		.kind = call->kind,
		.mechanism = config.override ? SVC_MECHANISM_OVERRIDE : SVC_MECHANISM_TRACING,
		.abi = call->abi,
		.syscall = call->number,
	};

	return seen;
}

/*
 * The current task is about to use the file at this address. Returns -EPERM if it must not. A
 * global function, as ask_policies is: the verifier looks at it once.
 */
__noinline int judge_use(__u64 file, __u32 number, __u32 abi)
{
	struct sighting seen = {
		.mechanism = config.override ? SVC_MECHANISM_OVERRIDE : SVC_MECHANISM_TRACING,
		.abi = abi,
		.syscall = number,
		.is_use = 1,
		.is_late = !config.watch_uses || is_ring_opener(bpf_get_current_task_btf()),
	};

	return file && see_file(&seen, (struct file *)file) ? -EPERM : 0;
}

static __always_inline int use_descriptor(const struct call *call, int descriptor)
{
	if (descriptor < 0)
		return 0;
	return judge_use((__u64)file_of_descriptor(descriptor), call->number, call->abi);
}

/* By such a socket descriptors are sent: include/linux/socket.h. */
#define AF_UNIX 1
#define S_IFSOCK 0140000

static __always_inline int is_local_socket(struct file *file)
{
	struct socket *socket;

	if ((BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return 0;
	socket = BPF_CORE_READ(file, private_data);
	return BPF_CORE_READ(socket, sk, __sk_common.skc_family) == AF_UNIX;
}

/* The uses of one call. */
struct uses_of_call {
	/* An array of pointers: of io_submit(2) to `struct iocb`, of a table to its files. */
	__u64 pointers;
	__u32 number;
	int answer;
	/* The size of a pointer. */
	__u8 size;
	__u8 abi;
	__u8 is_unknown;
};

static long use_file_of_table(__u32 descriptor, struct uses_of_call *uses)
{
	__u64 file = 0;

	bpf_probe_read_kernel(&file, sizeof(file),
			      (void *)(uses->pointers + (__u64)descriptor * sizeof(file)));
	if (file && judge_use(file, uses->number, uses->abi))
		uses->answer = -EPERM;
	return 0;
}

/*
 * A table that is too long to be looked at may hold anything. A function with its own stack: before
 * Linux 6.13 all stacks on a way have 512 bytes together.
 */
static __noinline int judge_long_table(const struct call *call)
{
	struct sighting seen = sighting_of(call);

	seen.kind = SVC_KIND_SECRET_DESCRIPTOR;
	return violate(&seen);
}

/* The caller uses a descriptor that is not known: it may be each of its table. */
static __always_inline int use_any_descriptor(const struct call *call)
{
	struct fdtable *table = BPF_CORE_READ(bpf_get_current_task_btf(), files, fdt);
	struct uses_of_call uses = {
		.pointers = (__u64)BPF_CORE_READ(table, fd),
		.number = call->number,
		.abi = call->abi,
	};

	if (bpf_loop(BPF_CORE_READ(table, max_fds), use_file_of_table, &uses, 0) < 0)
		return judge_long_table(call);
	return uses.answer;
}

/* include/uapi/linux/aio_abi.h: `struct iocb`. */
#define IOCB_DESCRIPTOR_OFFSET 20
#define REQUESTS_MAX (1 << 16)

static long use_request(__u32 index, struct uses_of_call *uses)
{
	__u64 request = 0;
	int descriptor = -1;

	if (copy_from_caller(&request, uses->size == 4 ? 4 : 8,
			     uses->pointers + (__u64)index * uses->size) ||
	    copy_from_caller(&descriptor, sizeof(descriptor), request + IOCB_DESCRIPTOR_OFFSET)) {
		uses->is_unknown = 1;
		return 1;
	}
	if (judge_use((__u64)file_of_descriptor(descriptor), uses->number, uses->abi))
		uses->answer = -EPERM;
	return 0;
}

/* The requests are the caller's still, as the attributes of watch_sampling. */
static __always_inline int watch_submission(const struct call *call)
{
	struct uses_of_call uses = {
		.pointers = third_argument(call),
		.size = call->abi == SVC_ABI_COMPAT ? 4 : 8,
		.number = call->number,
		.abi = call->abi,
	};
	long requests = (long)second_argument(call);

	if (requests <= 0)
		return 0;
	bpf_loop(requests < REQUESTS_MAX ? requests : REQUESTS_MAX, use_request, &uses, 0);
	if (uses.is_unknown || requests > REQUESTS_MAX)
		return use_any_descriptor(call) ?: uses.answer;
	return uses.answer;
}

/*
 * A message to another process may have descriptors in it that a ring has opened. Its memory is the
 * caller's still, so all of the table is looked at. Arguments of socketcall(2) lie in memory, too.
 */
static __always_inline int watch_passing(const struct call *call)
{
	if (!is_ring_opener(bpf_get_current_task_btf()))
		return 0;
	if (call->number != COMPAT_socketcall || call->abi != SVC_ABI_COMPAT) {
		if (!is_local_socket(file_of_descriptor(first_argument(call))))
			return 0;
	}
	return use_any_descriptor(call);
}

static __always_inline int watch_uses(const struct call *call)
{
	int descriptor = -1;

	if (call->kind == SVC_KIND_PASS)
		return watch_passing(call);
	if (call->kind == SVC_KIND_SUBMIT)
		return watch_submission(call);
	if (call->kind != SVC_KIND_MAP)
		return use_descriptor(call, first_argument(call)) ?:
		       use_descriptor(call, other_descriptor(call));
	if (mapped_descriptor(call, &descriptor))
		return use_any_descriptor(call);
	return use_descriptor(call, descriptor);
}

static __always_inline int is_use(__u8 kind)
{
	return kind == SVC_KIND_USE || kind == SVC_KIND_MAP || kind == SVC_KIND_SUBMIT ||
	       kind == SVC_KIND_PASS;
}

/*
 * An agent that only looks has seen files when they were opened. A region of secrets is never opened:
 * it is mapped.
 */
static __always_inline int is_looked_at(__u8 kind)
{
	return kind == SVC_KIND_MAP || config.watch_uses ||
	       is_ring_opener(bpf_get_current_task_btf());
}

#endif
