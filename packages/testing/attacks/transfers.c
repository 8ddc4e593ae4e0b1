/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves bytes between files and pipes by other calls than read(2) and write(2): splice(2),
 * sendfile(2), io_submit(2), and SPLICE of io_uring(7). A setting of the kernel gets the value that
 * it has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"
#include "ring.h"
#include "transfers.h"

#define CORE_PATTERN "/proc/sys/kernel/core_pattern"
#define REQUESTS_MAX 8

struct io_uring_sqe quiet_opening(const char *path, int flags)
{
	/* The way to the folder is left out: some file systems want a worker for theirs. */
	int folder = open(dirname(strdupa(path)), O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *name = strrchr(path, '/') + 1;
	struct stat status;

	fstatat(folder, name, &status, 0);
	return (struct io_uring_sqe){
		.opcode = IORING_OP_OPENAT,
		.flags = IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK,
		.fd = folder,
		.addr = (unsigned long)name,
		.open_flags = flags,
	};
}

int open_quietly(const char *path, int flags)
{
	struct io_uring_sqe chain[2] = {
		quiet_opening(path, flags),
		{ .opcode = IORING_OP_NOP },
	};
	struct ring ring;
	int fd, answer;

	if (set_up_ring(&ring, 0))
		return -1;
	fd = next_descriptor();
	answer = submit(&ring, chain, 2, 1) ? -1 : next_answer(&ring);
	close_again(ring.fd);
	close_again(chain[0].fd);
	return answer < 0 ? -1 : fd;
}

/* Gives the kernel all requests with one call; the result of the last one. */
static long last_result(struct iocb *requests, int count)
{
	struct iocb *pointers[REQUESTS_MAX];
	struct io_event answers[REQUESTS_MAX] = { 0 };
	aio_context_t context = 0;
	long result = -EINVAL;
	int error;

	for (int i = 0; i < count; i++)
		pointers[i] = &requests[i];
	if (syscall(SYS_io_setup, count, &context))
		return -1;
	if (syscall(SYS_io_submit, context, (long)count, pointers) < 0 ||
	    syscall(SYS_io_getevents, context, (long)count, (long)count, answers, NULL) < 0)
		result = -errno;
	for (int i = 0; i < count; i++)
		if (answers[i].obj == (uintptr_t)&requests[count - 1])
			result = answers[i].res;
	error = result < 0 ? -result : 0;
	syscall(SYS_io_destroy, context);
	errno = error;
	return error ? -1 : result;
}

static struct iocb request_of(int opcode, int fd, char *bytes, size_t length)
{
	return (struct iocb){
		.aio_lio_opcode = opcode,
		.aio_fildes = fd,
		.aio_buf = (uintptr_t)bytes,
		.aio_nbytes = length,
	};
}

long transfer_by_request(int opcode, int fd, char *bytes, size_t length)
{
	struct iocb request = request_of(opcode, fd, bytes, length);

	return last_result(&request, 1);
}

/* The setting's value, with the end of its line. */
static ssize_t read_core_pattern(char *value, size_t length)
{
	int fd = open(CORE_PATTERN, O_RDONLY | O_CLOEXEC);
	ssize_t found = fd < 0 ? -1 : read(fd, value, length);

	close_again(fd);
	return found;
}

/* The reading end of a pipe with the setting's value in it. */
static int pipe_with_core_pattern(ssize_t *length)
{
	char value[PAGE_BYTES];
	int ends[2];

	*length = read_core_pattern(value, sizeof(value));
	if (*length < 0 || pipe2(ends, O_CLOEXEC) || write(ends[1], value, *length) != *length)
		return -1;
	close(ends[1]);
	return ends[0];
}

static long splice_to_setting(const struct prey *prey)
{
	ssize_t length;
	int from = pipe_with_core_pattern(&length);
	int fd = open(CORE_PATTERN, O_WRONLY | O_CLOEXEC);
	long moved = fd < 0 ? -1 : splice(from, NULL, fd, NULL, length, 0);

	UNUSED(prey);
	close_again(fd);
	close_again(from);
	return moved < 0 ? -1 : 0;
}

static long send_to_setting(const struct prey *prey)
{
	char value[PAGE_BYTES];
	ssize_t length = read_core_pattern(value, sizeof(value));
	int from = memfd_create("value", MFD_CLOEXEC);
	int fd = open(CORE_PATTERN, O_WRONLY | O_CLOEXEC);
	off_t start = 0;
	long moved = -1;

	UNUSED(prey);
	if (fd >= 0 && write(from, value, length) == length)
		moved = sendfile(fd, from, &start, length);
	close_again(fd);
	close_again(from);
	return moved < 0 ? -1 : 0;
}

/* Other requests come first, for ordinary memory with the name that regions of secrets have. */
static long request_to_setting(const struct prey *prey)
{
	struct iocb requests[REQUESTS_MAX];
	char value[PAGE_BYTES], byte;
	ssize_t length = read_core_pattern(value, sizeof(value));
	int own = memfd_create("svc-secrets", MFD_CLOEXEC);
	int fd = open_quietly(CORE_PATTERN, O_WRONLY);
	long moved = -1;

	UNUSED(prey);
	if (fd >= 0) {
		for (int i = 0; i < REQUESTS_MAX - 1; i++)
			requests[i] = request_of(IOCB_CMD_PREAD, own, &byte, sizeof(byte));
		requests[REQUESTS_MAX - 1] = request_of(IOCB_CMD_PWRITE, fd, value, length);
		moved = last_result(requests, REQUESTS_MAX);
	}
	close_again(fd);
	close_again(own);
	return moved < 0 ? -1 : 0;
}

static long ring_to_setting(const struct prey *prey)
{
	ssize_t length;
	int from = pipe_with_core_pattern(&length);
	int fd = open_quietly(CORE_PATTERN, O_WRONLY);
	struct ring ring;
	int moved = -1;

	UNUSED(prey);
	if (fd >= 0 && set_up_ring(&ring, 0) == 0) {
		struct io_uring_sqe entry = {
			.opcode = IORING_OP_SPLICE,
			.fd = fd,
			.off = -1,
			.splice_fd_in = from,
			.splice_off_in = -1,
			.len = length,
		};

		moved = have_done(&ring, &entry);
		close_again(ring.fd);
	}
	close_again(fd);
	close_again(from);
	return moved < 0 ? -1 : 0;
}

static long request_from_kernel_core(const struct prey *prey)
{
	int fd = open_quietly("/proc/kcore", O_RDONLY);
	long moved = fd < 0 ? -1 : transfer_by_request(IOCB_CMD_PREAD, fd, loot, PAGE_BYTES);

	UNUSED(prey);
	close_again(fd);
	return moved < 0 ? -1 : 0;
}

const struct attack transfer_attacks[] = {
	{ "core-pattern-splice", NULL, splice_to_setting },
	{ "core-pattern-sendfile", NULL, send_to_setting },
	{ "core-pattern-io-submit", NULL, request_to_setting },
	{ "core-pattern-io-uring-splice", NULL, ring_to_setting },
	{ "kcore-io-submit", NULL, request_from_kernel_core },
	{ 0 },
};
