/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * For kernels without hooks. The file is looked at when the call has ended, by its descriptor. A
 * call that failed is not seen.
 */
#ifndef SVC_WATCH_FILES_H
#define SVC_WATCH_FILES_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "config.h"
#include "report.h"
#include "decision.h"
#include "protection.h"
#include "files.h"
#include "hooks.h"
#include "regions.h"
#include "task_hooks.h"
#include "token_files.h"
#include "refuse_calls.h"
#include "syscalls.h"

/* include/uapi/linux/stat.h, and drivers/char/mem.c: major 1 with minor 1 is mem, with 4 port. */
#define S_IFMT 0170000
#define S_IFCHR 0020000
#define DEVICE_MEM (1 << 20 | 1)
#define DEVICE_PORT (1 << 20 | 4)

/* include/uapi/linux/io_uring.h */
#define IORING_OP_OPENAT 18
#define IORING_OP_OPENAT2 28
#define IORING_OP_SPLICE 30
#define IORING_OP_FIXED_FD_INSTALL 54

/*
 * Those that read and write: READV, WRITEV, READ_FIXED, WRITE_FIXED, READ, WRITE, SPLICE,
 * READ_MULTISHOT, READV_FIXED, WRITEV_FIXED.
 */
#define IORING_OPS_OF_DATA                                                                   \
	(1ull << 1 | 1ull << 2 | 1ull << 4 | 1ull << 5 | 1ull << 22 | 1ull << 23 |            \
	 1ull << IORING_OP_SPLICE | 1ull << 49 | 1ull << 60 | 1ull << 61)

/* The file that is read from is in a slot, too. */
#define SPLICE_F_FD_IN_FIXED (1u << 31)

/*
 * include/linux/io_uring_types.h: its file is in the ring's own table, where it has no descriptor.
 */
#define REQ_F_FIXED_FILE 1

static __always_inline struct file *file_of_descriptor(__u32 fd)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd);
	struct file *file = 0;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return 0;
	if (bpf_probe_read_kernel(&file, sizeof(file), files + fd))
		return 0;
	return file;
}

static __always_inline void read_name_of(struct dentry *dentry, char name[NAME_BYTES])
{
	struct dentry___shortname *newer = (void *)dentry;

	if (bpf_core_field_exists(dentry->d_iname))
		bpf_core_read(name, NAME_BYTES, &dentry->d_iname);
	else
		bpf_core_read(name, NAME_BYTES, &newer->d_shortname);
}

/* A kind of attempt, and its detail. */
#define FINDING(kind, detail) ((__u64)(kind) << 32 | (detail))

/* Nothing, if the detail is 0. */
static __always_inline __u64 finding(__u8 kind, __u32 detail)
{
	return detail ? FINDING(kind, detail) : 0;
}

static __always_inline __u64 device_finding(struct inode *inode)
{
	unsigned int device = BPF_CORE_READ(inode, i_rdev);

	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFCHR)
		return 0;
	if (device == DEVICE_MEM)
		return FINDING(SVC_KIND_KERNEL_MEMORY, SVC_MEMORY_DEV_MEM);
	if (device == DEVICE_PORT)
		return FINDING(SVC_KIND_KERNEL_MEMORY, SVC_MEMORY_IOPORT);
	return 0;
}

/* A memfd can be opened by /proc/PID/fd, secret memory cannot. */
static __always_inline __u64 memory_finding(struct inode *inode, const char *name)
{
	if (token_volume(BPF_CORE_READ(inode, i_sb, s_dev)))
		return FINDING(SVC_KIND_TOKEN_FILE, 0);
	return is_plain_region(name) ? FINDING(SVC_KIND_SECRET_DESCRIPTOR, 0) :
				       device_finding(inode);
}

static __always_inline __u64 switch_finding(struct dentry *dentry)
{
	char name[NAME_BYTES] = {}, folder[NAME_BYTES] = {};

	read_name_of(dentry, name);
	read_name_of(BPF_CORE_READ(dentry, d_parent), folder);
	return finding(SVC_KIND_KERNEL_FILE, kernel_switch(name, folder));
}

static __always_inline __u64 procfs_finding(const char *name, int is_written)
{
	__u32 which = process_file(name, is_written);

	if (which)
		return FINDING(SVC_KIND_PROCESS_FILE, file_detail(which, is_written));
	if (IS(name, "kcore"))
		return FINDING(SVC_KIND_KERNEL_MEMORY, SVC_MEMORY_KCORE);
	return is_written ? finding(SVC_KIND_KERNEL_FILE, kernel_setting(name)) : 0;
}

/*
 * The attempt that it may be to use the file at this address; 0 for none. A global function, as
 * ask_policies is.
 */
__noinline __u64 finding_of(__u64 address)
{
	struct file *file = (void *)address;
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	unsigned long magic = BPF_CORE_READ(inode, i_sb, s_magic);
	__u32 mode = BPF_CORE_READ(file, f_mode);
	int is_written = mode & FMODE_WRITE;
	char name[NAME_BYTES] = {};

	/*
	 * Container runtimes have one of each file that they mask. A process that opens a file
	 * through it is seen then.
	 */
	if (mode & FMODE_PATH)
		return 0;
	if (magic == SECRETMEM_MAGIC)
		return FINDING(SVC_KIND_SECRET_DESCRIPTOR, 0);
	if (magic == DEBUGFS_MAGIC)
		return is_written ? switch_finding(dentry) : 0;
	if (magic != PROC_SUPER_MAGIC && magic != TRACEFS_MAGIC && magic != TMPFS_MAGIC)
		return device_finding(inode);
	read_name_of(dentry, name);
	if (magic == TMPFS_MAGIC)
		return memory_finding(inode, name);
	if (magic == TRACEFS_MAGIC)
		return is_written ? finding(SVC_KIND_KERNEL_FILE, kernel_trace(name)) : 0;
	return procfs_finding(name, is_written);
}

/* As identify, of an inode that is only known by its address. */
static __always_inline struct svc_inode key_of_region(struct inode *inode)
{
	struct svc_inode key = {};

	key.number = BPF_CORE_READ(inode, i_ino);
	key.device = BPF_CORE_READ(inode, i_sb, s_dev);
	return key;
}

static __always_inline int see_region(struct sighting *seen, struct inode *inode)
{
	enum region_access access = seen->is_use ? REGION_IS_USED : REGION_IS_GIVEN;
	struct svc_inode key = key_of_region(inode);

	return judge_region(access, &key, seen);
}

static __always_inline int see_token(struct sighting *seen, struct inode *inode,
				     struct dentry *dentry)
{
	__u64 volume = token_volume(BPF_CORE_READ(inode, i_sb, s_dev));
	char name[NAME_BYTES] = {};

	read_name_of(dentry, name);
	return open_token(volume, BPF_CORE_READ(inode, i_ino), name, seen);
}

static __always_inline int is_memory(__u32 detail)
{
	__u32 which = detail & ~SVC_FILE_WRITTEN;

	return which == SVC_FILE_MEM || which == SVC_FILE_ENVIRON;
}

static __always_inline int see_file(struct sighting *seen, struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	__u64 found = finding_of((__u64)file);

	seen->kind = found >> 32;
	seen->detail = found;
	switch (seen->kind) {
	case SVC_KIND_SECRET_DESCRIPTOR:
		return see_region(seen, inode);
	case SVC_KIND_TOKEN_FILE:
		return see_token(seen, inode, BPF_CORE_READ(file, f_path.dentry));
	case SVC_KIND_PROCESS_FILE:
		if (seen->leaves_memory && is_memory(seen->detail))
			return 0;
		return judge_inode(inode, seen);
	case SVC_KIND_KERNEL_FILE:
	case SVC_KIND_KERNEL_MEMORY:
		return judge_node(seen);
	}
	return 0;
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
	if (call.kind != SVC_KIND_OPEN || result < 0)
		return 0;
	struct sighting seen = {
		.mechanism = SVC_MECHANISM_TRACING,
		.abi = call.abi,
		.syscall = call.number,
		/* Its use is refused. */
		.is_spared = config.override,
	};

	see_file(&seen, file_of_descriptor(result));
	return 0;
}

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
	struct io_fixed_file *files;
	struct io_rsrc_node **nodes, *node = 0;
	unsigned long file = 0;

	if (bpf_core_field_exists(ring->file_table.data)) {
		nodes = BPF_CORE_READ(ring, file_table.data.nodes);
		if (slot < BPF_CORE_READ(ring, file_table.data.nr) &&
		    !bpf_probe_read_kernel(&node, sizeof(node), nodes + slot))
			file = BPF_CORE_READ(node, file_ptr);
	} else if (slot < BPF_CORE_READ(older, nr_user_files)) {
		files = BPF_CORE_READ(older, file_table.files);
		bpf_probe_read_kernel(&file, sizeof(file), &files[slot].file_ptr);
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

/*
 * A ring opens files. System calls that use descriptors are looked at from then on: the open may
 * have been hidden.
 */
static volatile __u32 ring_has_opened;

SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(watch_ring_opens, struct io_kiocb *request)
{
	if (makes_descriptor(BPF_CORE_READ(request, opcode)))
		ring_has_opened = 1;
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
