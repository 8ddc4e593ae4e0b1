/* SPDX-License-Identifier: Apache-2.0 */
/* Files of /proc/PID that tell of a process, or change what of it goes where. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "attack.h"

static char buffer[1 << 16];

static long read_file(const struct prey *prey, const char *name)
{
	int fd = open_of(prey->pid, name, O_RDONLY);
	long length = fd < 0 ? -1 : read(fd, buffer, sizeof(buffer));

	close_again(fd);
	return length < 0 ? -1 : canary_bytes(buffer, length);
}

/* Nothing is written, which would change the victim. */
static long open_file(const struct prey *prey, const char *name)
{
	return close_again(open_of(prey->pid, name, O_WRONLY));
}

#define READS(function, name)                                  \
	static long function(const struct prey *prey)          \
	{                                                      \
		return read_file(prey, name);                  \
	}

#define OPENS(function, name)                                  \
	static long function(const struct prey *prey)          \
	{                                                      \
		return open_file(prey, name);                  \
	}

READS(environment, "environ")
READS(maps, "maps")
READS(smaps, "smaps")
READS(numa_maps, "numa_maps")
READS(pagemap, "pagemap")
READS(auxv, "auxv")
READS(stack, "stack")
READS(system_call, "syscall")
READS(personality, "personality")
OPENS(coredump_filter, "coredump_filter")
OPENS(clear_refs, "clear_refs")
OPENS(oom_score_adj, "oom_score_adj")

/* Of secret memory the kernel refuses it by itself. */
static long descriptor(const struct prey *prey)
{
	char name[32];

	snprintf(name, sizeof(name), "fd/%d", prey->descriptor);
	return read_file(prey, name);
}

const struct attack file_attacks[] = {
	{ "proc-environ", NULL, environment },
	{ "proc-maps", NULL, maps },
	{ "proc-smaps", NULL, smaps },
	{ "proc-numa-maps", NULL, numa_maps },
	{ "proc-pagemap", NULL, pagemap },
	{ "proc-auxv", NULL, auxv },
	{ "proc-stack", NULL, stack },
	{ "proc-syscall", NULL, system_call },
	{ "proc-personality", NULL, personality },
	{ "proc-fd", NULL, descriptor },
	{ "proc-coredump-filter", NULL, coredump_filter },
	{ "proc-clear-refs", NULL, clear_refs },
	{ "proc-oom-score-adj", NULL, oom_score_adj },
	{ 0 },
};
