/* SPDX-License-Identifier: Apache-2.0 */
/* The secret region: docs of the format are in packages/protocol/src/region-format.ts. */
#include "interposer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_REGION_BYTES (64UL << 20)
#define MAX_COMPARED_ENTRIES 1024
#define FIRST_HANDED_FD 100
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef MADV_DONTDUMP
#define MADV_DONTDUMP 16
#endif

/* A page of secrets that the kernel does not protect by itself must not be swapped or dumped. */
static bool protect(void *start, size_t length, bool by_kernel)
{
	if (by_kernel)
		return true;
	madvise(start, length, MADV_DONTDUMP);
	return mlock(start, length) == 0;
}

static char *map(int fd, size_t length, bool by_kernel)
{
	void *start = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (start == MAP_FAILED)
		return NULL;
	if (protect(start, length, by_kernel))
		return start;
	munmap(start, length);
	return NULL;
}

/* Reading a memfd_secret fails; reading anything else does not. */
static bool refuses_read(int fd)
{
	char byte;

	return syscall(SYS_pread64, fd, &byte, 1, 0L) < 0;
}

static bool is_key(const char *start, const char *end)
{
	if (start == end || (*start >= '0' && *start <= '9'))
		return false;
	for (; start < end; start++)
		if (*start != '_' && !(*start >= '0' && *start <= '9') &&
		    !(*start >= 'A' && *start <= 'Z') && !(*start >= 'a' && *start <= 'z'))
			return false;
	return true;
}

static bool is_whole(const struct region *region)
{
	const char *at = region->start, *end = region->start + region->length;

	if (end[-1])
		return false;
	for (int entries = 0; at < end && *at; entries++) {
		const char *equals = memchr(at, '=', strlen(at));

		if (!equals || !is_key(at, equals))
			return false;
		/* Looked for in all that came before: of very many the writer made sure. */
		if (entries < MAX_COMPARED_ENTRIES && entry_of(region, at) != at)
			return false;
		at += strlen(at) + 1;
	}
	for (; at < end; at++)
		if (*at)
			return false;
	return true;
}

/* The entry that holds the variable, by its name; `variable` is `KEY=anything`. */
char *entry_of(const struct region *region, const char *variable)
{
	const char *equals = strchr(variable, '=');
	size_t length = equals ? (size_t)(equals - variable) + 1 : 0;
	char *at = region->start, *end = region->start + region->length;

	if (!length || !at)
		return NULL;
	for (; at < end && *at; at += strlen(at) + 1)
		if (!strncmp(at, variable, length))
			return at;
	return NULL;
}

bool map_region(int fd, struct region *region)
{
	struct stat info;

	if (syscall(SYS_fstat, fd, &info) < 0 || !S_ISREG(info.st_mode))
		return false;
	if (info.st_size <= 0 || (size_t)info.st_size > MAX_REGION_BYTES)
		return false;
	region->length = info.st_size;
	region->start = map(fd, region->length, refuses_read(fd));
	if (!region->start)
		return false;
	if (is_whole(region))
		return true;
	munmap(region->start, region->length);
	region->start = NULL;
	return false;
}

/* An empty region for a child, which inherits it under a number that nobody else wants. */
int make_region(size_t length, char **mapping)
{
	bool by_kernel = true;
	long fd = syscall(SYS_memfd_secret, O_CLOEXEC);
	long handed;

	if (fd < 0) {
		by_kernel = false;
		fd = syscall(SYS_memfd_create, "svc-secrets", 1U /* MFD_CLOEXEC */);
	}
	if (fd < 0)
		return -1;
	if (syscall(SYS_ftruncate, fd, length) < 0 || !(*mapping = map(fd, length, by_kernel))) {
		syscall(SYS_close, fd);
		return -1;
	}
	handed = syscall(SYS_fcntl, fd, F_DUPFD, FIRST_HANDED_FD);
	/* RLIMIT_NOFILE may be that low. */
	if (handed < 0)
		handed = syscall(SYS_fcntl, fd, F_DUPFD, STDERR_FILENO + 1);
	syscall(SYS_close, fd);
	if (handed < 0)
		munmap(*mapping, length);
	return handed;
}
