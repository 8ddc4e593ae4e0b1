/* SPDX-License-Identifier: Apache-2.0 */
/* Opens any file, in ways that show no path or no answer. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attack.h"
#include "ring.h"
#include "transfers.h"

/* By a number that the file system gives the file: open_by_handle_at(2). */
static int read_by_handle(const char *path)
{
	struct file_handle *handle = malloc(sizeof(*handle) + MAX_HANDLE_SZ);
	int mount, folder, fd, length;
	char byte;

	handle->handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(AT_FDCWD, path, handle, &mount, AT_SYMLINK_FOLLOW))
		return -1;
	folder = open(dirname(strdupa(path)), O_RDONLY | O_DIRECTORY);
	fd = open_by_handle_at(folder, handle, O_RDONLY);
	length = fd < 0 ? -1 : read(fd, &byte, 1);
	close_again(fd);
	close_again(folder);
	free(handle);
	return length;
}

/* The descriptor is mapped. */
static int read_by_mapping(const char *path)
{
	int fd = open_quietly(path, O_RDONLY);
	volatile char *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	char byte;

	close_again(fd);
	if ((void *)page == MAP_FAILED)
		return -1;
	byte = *page;
	return sizeof(byte);
}

static int read_by_request(const char *path)
{
	int fd = open_quietly(path, O_RDONLY);
	char byte;
	int length = fd < 0 ? -1 : transfer_by_request(IOCB_CMD_PREAD, fd, &byte, sizeof(byte));

	close_again(fd);
	return length;
}

/* The ring opens it into a slot, and moves a byte from there into a pipe. It answers nothing. */
static int read_by_splice(const char *path)
{
	struct io_uring_sqe chain[3] = {
		quiet_opening(path, O_RDONLY),
		{
			.opcode = IORING_OP_SPLICE,
			.flags = IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK,
			.off = -1,
			.len = 1,
			.splice_fd_in = 0,
			.splice_off_in = -1,
			.splice_flags = SPLICE_F_FD_IN_FIXED,
		},
		{ .opcode = IORING_OP_NOP },
	};
	struct ring ring;
	int ends[2];
	char byte;

	if (pipe(ends) || set_up_ring(&ring, 0) || make_slot(&ring))
		return -1;
	chain[0].file_index = 1;
	chain[1].fd = ends[1];
	if (submit(&ring, chain, 3, 1) || next_answer(&ring) < 0)
		return -1;
	return read(ends[0], &byte, sizeof(byte));
}

/* The ring opens it into a slot, and reads it from there. It answers nothing. */
static int read_from_slot(const char *path)
{
	struct io_uring_sqe chain[3] = {
		quiet_opening(path, O_RDONLY),
		{
			.opcode = IORING_OP_READ,
			.flags = IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK | IOSQE_FIXED_FILE,
			.addr = (unsigned long)loot,
			.len = 1,
		},
		{ .opcode = IORING_OP_NOP },
	};
	struct ring ring;

	chain[0].file_index = 1;
	if (set_up_ring(&ring, 0) || make_slot(&ring))
		return -1;
	return submit(&ring, chain, 3, 1) || next_answer(&ring) < 0 || !*loot ? -1 : 1;
}

int read_in_way(const char *way, const char *path)
{
	int length = -1;

	errno = EINVAL;
	if (strcmp(way, "handle") == 0)
		length = read_by_handle(path);
	if (strcmp(way, "mapping") == 0)
		length = read_by_mapping(path);
	if (strcmp(way, "request") == 0)
		length = read_by_request(path);
	if (strcmp(way, "slot") == 0)
		length = read_from_slot(path);
	if (strcmp(way, "splice") == 0)
		length = read_by_splice(path);
	if (length == 1)
		return 0;
	perror(way);
	return 1;
}
