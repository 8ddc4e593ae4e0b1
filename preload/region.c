/* SPDX-License-Identifier: Apache-2.0 */
/* The secret region: docs of the format are in packages/protocol/src/region-format.ts. */
#include "interposer.h"
#include "system-call.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_REGION_BYTES (64UL << 20)
#define MAX_COMPARED_ENTRIES 1024
#ifndef MADV_DONTDUMP
#define MADV_DONTDUMP 16
#endif

/*
 * Keeps pages that the kernel does not protect by itself out of core dumps, and out of swap as far
 * as RLIMIT_MEMLOCK allows. Whether a program may run without that is SVC_REQUIRE_MLOCK's: the
 * wrapper decided it before the program began, and has warned.
 */
static void protect(void *start, size_t length)
{
	system_call(SYS_madvise, start, length, (long)MADV_DONTDUMP);
	system_call(SYS_mlock, start, length);
}

static char *map(int fd, size_t length, bool by_kernel)
{
	long start = system_call(SYS_mmap, NULL, length, (long)(PROT_READ | PROT_WRITE),
				 (long)MAP_SHARED, (long)fd, 0L);

	if (start < 0)
		return NULL;
	if (!by_kernel)
		protect((void *)start, length);
	return (char *)start;
}

/* Reading a memfd_secret fails; reading anything else does not. */
static bool refuses_read(int fd)
{
	char byte;

	return system_call(SYS_pread64, (long)fd, &byte, 1L, 0L) < 0;
}

static bool is_within(unsigned char byte, unsigned char least, unsigned char most)
{
	return byte >= least && byte <= most;
}

/* The bytes of a UTF-8 character, 0 if it is invalid: table 3-7 of the Unicode standard. */
static size_t character_bytes(const unsigned char *at)
{
	unsigned char first = at[0];
	size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	if (length == 1)
		return 1;
	if (!is_within(first, 0xc2, 0xf4) || !is_within(at[1], least, most))
		return 0;
	for (size_t index = 2; index < length; index++)
		if (!is_within(at[index], 0x80, 0xbf))
			return 0;
	return length;
}

/* U+0000 to U+001F and U+007F to U+009F. */
static bool is_control(const unsigned char *at)
{
	return at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

/*
 * UTF-8 without control characters. No byte behind the end is read: the end mark of a key is not a
 * part of a character.
 */
static bool is_key(const char *start, const char *end)
{
	const unsigned char *at = (const unsigned char *)start;

	if (start == end)
		return false;
	while (at < (const unsigned char *)end) {
		size_t length = character_bytes(at);

		if (!length || is_control(at))
			return false;
		at += length;
	}
	return true;
}

/* Reduces the length to the size of the entries. */
bool is_region(struct region *region)
{
	const char *at = region->start, *end = region->start + region->length;

	if (end[-1])
		return false;
	for (int entries = 0; at < end && *at; entries++) {
		const char *equals = strchr(at, '=');

		if (!equals || !is_key(at, equals))
			return false;
		/* Looked for in all that came before: of very many the writer made sure. */
		if (entries < MAX_COMPARED_ENTRIES && entry_of(region, at) != at)
			return false;
		at += strlen(at) + 1;
	}
	region->length = (size_t)(at - region->start);
	for (; at < end; at++)
		if (*at)
			return false;
	return true;
}

/*
 * The entry of a variable. If the program has overwritten a value with zeros, more than one
 * follow each other.
 */
char *entry_named(const struct region *region, const char *name, size_t length)
{
	char *at = region->start, *end = region->start + region->length;

	if (!length || !at)
		return NULL;
	for (; at < end; at += strlen(at) + 1)
		if (!strncmp(at, name, length) && at[length] == '=')
			return at;
	return NULL;
}

/* The same by `KEY=anything`. */
char *entry_of(const struct region *region, const char *variable)
{
	const char *equals = strchr(variable, '=');

	return equals ? entry_named(region, variable, (size_t)(equals - variable)) : NULL;
}

static bool read_region(struct region *region, size_t mapped)
{
	return region->start[mapped - 1] == 1 ? take_generations(region, mapped)
					      : is_region(region);
}

bool map_region(int fd, struct region *region, const char **refused)
{
	struct stat info;
	size_t mapped;
	long error = system_call(SYS_fstat, (long)fd, &info);

	*refused = error < 0 && error != -EBADF ? "fstat" : NULL;
	if (error < 0 || !S_ISREG(info.st_mode))
		return false;
	if (info.st_size <= 0 || (size_t)info.st_size > MAX_REGION_BYTES)
		return false;
	mapped = info.st_size;
	region->length = mapped;
	region->start = map(fd, region->length, refuses_read(fd));
	if (!region->start) {
		*refused = "mmap";
		return false;
	}
	if (read_region(region, mapped))
		return true;
	system_call(SYS_munmap, region->start, mapped);
	region->start = NULL;
	return false;
}

/*
 * Some kernels count the pages of a memfd_secret only when they are touched, and send SIGBUS for
 * one too many; when they copy to it themselves they give up. The zeroes are those of a file with
 * nothing in it.
 */
static bool take_pages(char *start, size_t length)
{
	long fd = system_call(SYS_memfd_create, "zeroes", 1L /* MFD_CLOEXEC */);
	bool taken;

	if (fd < 0)
		return false;
	taken = !system_call(SYS_ftruncate, fd, length) &&
		system_call(SYS_pread64, fd, start, length, 0L) == (long)length;
	system_call(SYS_close, fd);
	return taken;
}

/* An empty region for a child, close-on-exec as yet, mapped for writing. */
int make_region(size_t length, char **mapping)
{
	bool by_kernel = true;
	long fd = system_call(SYS_memfd_secret, (long)O_CLOEXEC);

	if (fd < 0) {
		by_kernel = false;
		fd = system_call(SYS_memfd_create, "svc-secrets", 1L /* MFD_CLOEXEC */);
	}
	if (fd < 0)
		return -1;
	if (!system_call(SYS_ftruncate, fd, length) && (*mapping = map(fd, length, by_kernel))) {
		if (!by_kernel || take_pages(*mapping, length))
			return fd;
		system_call(SYS_munmap, *mapping, length);
	}
	system_call(SYS_close, fd);
	return -1;
}
