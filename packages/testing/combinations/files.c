/* SPDX-License-Identifier: Apache-2.0 */
/* Goals that are files of /proc, and calls that reach for a task without a descriptor. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "combination.h"

#define PATIENCE_SECONDS 0.3
/* There is no file of this name. */
#define NO_NAME 0x01010101

/* The last part of the path is exchanged. */
static void lay_path(const char *path)
{
	lay(&(struct image){ path, strlen(path) + 8, strrchr(path, '/') + 1 - path, NO_NAME });
}

static long open_path(const char *folder, const char *name, int flags)
{
	char path[64] = "";

	snprintf(path, sizeof(path), "%s%s", folder, name);
	lay_path(path);
	if (parts.is_narrow)
		return call_narrow(5, (long)arguments_page, flags, 0, 0, 0);
	return syscall(SYS_openat, AT_FDCWD, arguments_page, flags, 0);
}

static long open_file(const char *name)
{
	char folder[32];

	snprintf(folder, sizeof(folder), "/proc/%d/", aim());
	return open_path(folder, name, O_RDONLY | O_CLOEXEC);
}

static long open_memory(void)
{
	return open_file("mem");
}

static long open_environment(void)
{
	return open_file("environ");
}

/* The kernel looks for the path below the ring's folder, which is /proc. */
static long open_below(const char *path, int flags)
{
	char padded[64] = "";

	snprintf(padded, sizeof(padded), "%s", path);
	lay_path(padded);
	return open_by_ring(arguments_page, path, flags);
}

static long memory_by_ring(void)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/mem", aim());
	return open_below(path, O_RDONLY);
}

static long environment_by_ring(void)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/environ", aim());
	return open_below(path, O_RDONLY);
}

static long read_from(int fd, unsigned long offset)
{
	long length = pread(fd, common->booty, BOOTY_BYTES, offset);

	return length > 0 ? count_canaries(common->booty, length) : 0;
}

static long read_memory(int fd)
{
	long length = pread(fd, common->booty, PAGE_BYTES, quarry.address);

	return length > 0 ? count_canaries(common->booty, length) : 0;
}

static long read_environment(int fd)
{
	return read_from(fd, 0);
}

/* Both places, of 64 and of 32 bits. */
struct places {
	struct iovec own, other;
};

struct narrow_places {
	uint32_t own, own_length, other, other_length;
};

static long read_by_call(void)
{
	struct places wide = {
		{ common->booty, PAGE_BYTES },
		{ (void *)quarry.address, PAGE_BYTES },
	};
	struct narrow_places narrow = {
		(unsigned long)common->booty, PAGE_BYTES, quarry.address, PAGE_BYTES,
	};
	char *other;

	if (parts.is_narrow) {
		size_t length = offsetof(struct narrow_places, other_length);

		lay(&(struct image){ &narrow, sizeof(narrow), length, 0 });
		other = arguments_page + offsetof(struct narrow_places, other);
		if (call_narrow(347, aim(), (long)arguments_page, 1, (long)other, 1) < 0)
			return -1;
	} else {
		size_t length = offsetof(struct places, other.iov_len);

		lay(&(struct image){ &wide, sizeof(wide), length, 0 });
		other = arguments_page + offsetof(struct places, other);
		if (syscall(SYS_process_vm_readv, aim(), arguments_page, 1L, other, 1L, 0L) < 0)
			return -1;
	}
	return count_canaries(common->booty, PAGE_BYTES);
}

static long peek(void)
{
	for (size_t i = 0; i < 8; i++) {
		errno = 0;
		((long *)common->booty)[i] =
			ptrace(PTRACE_PEEKDATA, aim(), quarry.address + i * sizeof(long), NULL);
		if (errno)
			return -1;
	}
	return count_canaries(common->booty, 8 * sizeof(long));
}

static long trace(void)
{
	double end = now() + PATIENCE_SECONDS;
	long result, finds;

	if (parts.is_narrow)
		result = call_narrow(26, PTRACE_SEIZE, aim(), 0, 0, 0);
	else
		result = ptrace(PTRACE_SEIZE, aim(), NULL, NULL);
	if (result < 0 || ptrace(PTRACE_INTERRUPT, aim(), NULL, NULL))
		return -1;
	while (waitpid(aim(), NULL, __WALL | WNOHANG) == 0 && now() < end)
		sched_yield();
	finds = peek();
	ptrace(PTRACE_DETACH, aim(), NULL, NULL);
	return finds;
}

#define CORE_PATTERN "sys/kernel/core_pattern"

static long open_setting(void)
{
	return open_path("/proc/", CORE_PATTERN, O_WRONLY | O_CLOEXEC);
}

static long setting_by_ring(void)
{
	return open_below(CORE_PATTERN, O_WRONLY);
}

/* It gets the value that it has. */
static long write_setting(int fd)
{
	int own = open("/proc/" CORE_PATTERN, O_RDONLY | O_CLOEXEC);
	long length = read(own, common->booty, PAGE_BYTES);

	drop(own);
	return length > 0 && write(fd, common->booty, length) == length;
}

const struct goal file_goals[] = {
	{ "memory", NULL, open_memory, read_memory, 0, NULL },
	{ "environment", NULL, open_environment, read_environment, 0, NULL },
	{ "core-pattern", NULL, open_setting, write_setting, 0, NULL },
	{ "memory-by-ring", prepare_ring, memory_by_ring, read_memory, 0, NULL },
	{ "environment-by-ring", prepare_ring, environment_by_ring, read_environment, 0, NULL },
	{ "core-pattern-by-ring", prepare_ring, setting_by_ring, write_setting, 0, NULL },
	{ 0 },
};

const struct goal task_goals[] = {
	{ "read-call", NULL, read_by_call, NULL, 0, NULL },
	{ "trace", NULL, trace, NULL, 0, NULL },
	{ 0 },
};
