/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * For kernels without hooks: files that io_uring(7) opens and uses. A request may have no
 * descriptor, and no answer.
 */
#ifndef SVC_WATCH_RINGS_H
#define SVC_WATCH_RINGS_H

#include "kernel.h"
#include "event.h"
#include "config.h"
#include "report.h"
#include "ring_openers.h"
#include "watch_files.h"
#include "watch_uses.h"

/* include/uapi/linux/io_uring.h */
#define IORING_OP_SENDMSG 9
#define IORING_OP_OPENAT 18
#define IORING_OP_OPENAT2 28
#define IORING_OP_SPLICE 30
#define IORING_OP_SENDMSG_ZC 48
#define IORING_OP_FIXED_FD_INSTALL 54

/*
 * Those that read and write: READV, WRITEV, READ_FIXED, WRITE_FIXED, READ, WRITE, SPLICE,
 * READ_MULTISHOT, READV_FIXED, WRITEV_FIXED.
 */
#define IORING_OPS_OF_DATA                                                                   \
	(1ull << 1 | 1ull << 2 | 1ull << 4 | 1ull << 5 | 1ull << 22 | 1ull << 23 |            \
	 1ull << IORING_OP_SPLICE | 1ull << 49 | 1ull << 60 | 1ull << 61)

/* include/uapi/linux/io_uring.h: SPLICE reads from a file in a slot. */
#define SPLICE_F_FD_IN_FIXED (1u << 31)

/*
 * include/linux/io_uring_types.h: its file is in the ring's own table, in which it has no
 * descriptor.
 */
#define REQ_F_FIXED_FILE 1

/*
 * The descriptor is in the table of the task that completes the request: the process, or the
 * kernel's thread for it.
 */
static __always_inline int makes_descriptor(__u8 operation)
{
	return operation == IORING_OP_OPENAT || operation == IORING_OP_OPENAT2 ||
	       operation == IORING_OP_FIXED_FD_INSTALL;
}

static __always_inline int is_of_data(__u8 operation)
{
	return operation < 64 && IORING_OPS_OF_DATA & 1ull << operation;
}

/* A file opened into a slot of the ring is seen at each use. */
static __always_inline int uses_slot(struct io_kiocb *request, __u8 operation)
{
	return is_of_data(operation) && BPF_CORE_READ(request, flags) & REQ_F_FIXED_FILE;
}

/* include/linux/io_uring_types.h: the lower bits of a slot's pointer are flags. */
#define SLOT_POINTER (~7ul)

static __always_inline struct file *file_of_slot(struct io_ring_ctx *ring, __u32 slot)
{
	struct io_ring_ctx___older *older = (void *)ring;
	unsigned long *files;
	struct io_rsrc_node **nodes, *node = 0;
	unsigned long file = 0;

	if (bpf_core_field_exists(ring->file_table.data)) {
		nodes = BPF_CORE_READ(ring, file_table.data.nodes);
		if (slot < BPF_CORE_READ(ring, file_table.data.nr) &&
		    !bpf_probe_read_kernel(&node, sizeof(node), nodes + slot))
			file = BPF_CORE_READ(node, file_ptr);
	} else if (slot < BPF_CORE_READ(older, nr_user_files)) {
		files = BPF_CORE_READ(older, file_table.files);
		bpf_probe_read_kernel(&file, sizeof(file), files + slot);
	}
	return (struct file *)(file & SLOT_POINTER);
}

/* The file in a slot that a request of SPLICE reads from. A request's own file is its output. */
static __always_inline struct file *file_spliced_from(struct io_kiocb *request)
{
	struct io_splice *splice = (void *)request;

	if (BPF_CORE_READ(request, opcode) != IORING_OP_SPLICE ||
	    !(BPF_CORE_READ(splice, flags) & SPLICE_F_FD_IN_FIXED))
		return 0;
	return file_of_slot(BPF_CORE_READ(request, ctx), BPF_CORE_READ(splice, splice_fd_in));
}

static __always_inline int see_late(struct sighting *seen, struct file *file)
{
	seen->is_late = 1;
	return file ? see_file(seen, file) : 0;
}

/*
 * As see_late, before a worker thread of the ring reads. One that takes note of a SIGKILL between
 * two requests goes on with the next: watch_memory kills a process that reads memory, in the thread
 * that reads.
 */
static __always_inline int see_early(struct sighting *seen, struct file *file)
{
	seen->leaves_memory = config.watch_memory;
	return see_late(seen, file);
}

/*
 * A request may get no answer (IOSQE_CQE_SKIP_SUCCESS), or one when its descriptor is another
 * file's. So the ring's reads and writes are looked at before they happen: here by the descriptor,
 * and in watch_ring_work without one.
 */
SEC("tp_btf/io_uring_file_get")
int BPF_PROG(watch_ring_files, struct io_kiocb *request, int fd)
{
	struct sighting seen = {
		.mechanism = SVC_MECHANISM_TRACING,
		.syscall = -1,
	};

	if (is_of_data(BPF_CORE_READ(request, opcode)))
		see_early(&seen, file_of_descriptor(fd));
	return 0;
}

/*
 * Files of /proc/PID make their readers wait, so a worker thread reads them. It has the file when
 * it has been tried before. A worker thread does each SPLICE.
 */
SEC("tp_btf/io_uring_queue_async_work")
int BPF_PROG(watch_ring_work, struct io_kiocb *request)
{
	struct sighting seen = {
		.mechanism = SVC_MECHANISM_TRACING,
		.syscall = -1,
	};
	struct sighting other = seen;

	if (uses_slot(request, BPF_CORE_READ(request, opcode)))
		see_early(&seen, BPF_CORE_READ(request, file));
	see_early(&other, file_spliced_from(request));
	return 0;
}

/* A message that may have descriptors goes to another process. */
static __always_inline int sends_message(__u8 operation)
{
	return operation == IORING_OP_SENDMSG || operation == IORING_OP_SENDMSG_ZC;
}

/* The file of a request that begins. It has been given only its number. */
static __always_inline struct file *file_named_by(struct io_kiocb *request)
{
	int number = BPF_CORE_READ(request, cqe.fd);

	if (BPF_CORE_READ(request, flags) & REQ_F_FIXED_FILE)
		return file_of_slot(BPF_CORE_READ(request, ctx), number);
	return file_of_descriptor(number);
}

SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(watch_ring_opens, struct io_kiocb *request)
{
	struct call none = { .number = -1 };
	__u8 operation = BPF_CORE_READ(request, opcode);

	if (makes_descriptor(operation))
		note_ring_opening();
	else if (sends_message(operation) && is_ring_opener(bpf_get_current_task_btf()) &&
		 is_local_socket(file_named_by(request)))
		use_any_descriptor(&none);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(forget_ring_openers, struct task_struct *task)
{
	forget_ring_opener(task);
	return 0;
}

/* Linux 6.16 passes the result of the request in a structure, earlier ones as arguments. */
SEC("tp_btf/io_uring_complete")
int BPF_PROG(watch_ring_requests, void *ring, struct io_kiocb *request,
	     struct io_uring_cqe *completion)
{
	__u8 operation = BPF_CORE_READ(request, opcode);
	struct sighting seen = {
		.mechanism = SVC_MECHANISM_TRACING,
		.syscall = -1,
	};
	int result = -1;

	if (uses_slot(request, operation)) {
		/* It completes a request of a process that has ended. */
		if (bpf_get_current_task_btf()->flags & PF_KTHREAD)
			return 0;
		see_late(&seen, BPF_CORE_READ(request, file));
		return 0;
	}
	if (!makes_descriptor(operation))
		return 0;
	if (LINUX_KERNEL_VERSION < KERNEL_VERSION(6, 16, 0))
		result = ctx[3];
	else if (bpf_core_read(&result, sizeof(result), &completion->res))
		return 0;
	if (result >= 0)
		see_file(&seen, file_of_descriptor(result));
	return 0;
}

#endif
