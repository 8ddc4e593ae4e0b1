/* SPDX-License-Identifier: Apache-2.0 */
/* Its memory by /proc/PID/mem, which may have been opened before it was protected. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "attack.h"

static int opened_before = -1;

/* That there is nothing at the address of a stranger is not a refusal. */
static long read_canary(int fd, unsigned long address)
{
	long length = pread(fd, loot, PAGE_BYTES, address);

	if (length < 0 && errno != EIO)
		return -1;
	return length > 0 ? canary_bytes(loot, length) : 0;
}

long read_memory_and_close(int fd, const struct prey *prey)
{
	long leaked = fd < 0 ? -1 : read_canary(fd, prey->address);

	close_again(fd);
	return leaked;
}

static long by_path(const struct prey *prey)
{
	return read_memory_and_close(open_of(prey->pid, "mem", O_RDONLY), prey);
}

/* An observer of paths sees `mem`. */
static long by_relative_path(const struct prey *prey)
{
	char folder[32];

	snprintf(folder, sizeof(folder), "/proc/%d", prey->pid);
	if (chdir(folder))
		return -1;
	return read_memory_and_close(open("mem", O_RDONLY), prey);
}

static long by_thread(const struct prey *prey)
{
	char name[32];

	snprintf(name, sizeof(name), "task/%d/mem", prey->pid);
	return read_memory_and_close(open_of(prey->pid, name, O_RDONLY), prey);
}

/* Nothing is written. */
static long for_writing(const struct prey *prey)
{
	return close_again(open_of(prey->pid, "mem", O_RDWR));
}

static void open_before(const struct prey *prey)
{
	opened_before = open_of(prey->pid, "mem", O_RDONLY);
}

static long by_old_descriptor(const struct prey *prey)
{
	return opened_before < 0 ? -1 : read_canary(opened_before, prey->address);
}

const struct attack memory_attacks[] = {
	{ "proc-mem", NULL, by_path },
	{ "proc-mem-relative", NULL, by_relative_path },
	{ "proc-mem-thread", NULL, by_thread },
	{ "proc-mem-write", NULL, for_writing },
	{ "proc-mem-opened-before", open_before, by_old_descriptor },
	{ 0 },
};
