/* SPDX-License-Identifier: Apache-2.0 */
/* Files of /proc/PID that describe a process, or change its memory or its output. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attack.h"

static long read_file(const struct prey *prey, const char *name)
{
	int fd = open_of(prey->pid, name, O_RDONLY);
	long length = fd < 0 ? -1 : read(fd, loot, LOOT_BYTES);

	close_again(fd);
	return length < 0 ? -1 : canary_bytes(loot, length);
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

/* The kernel itself refuses it for secret memory. */
static long descriptor(const struct prey *prey)
{
	char name[32];

	snprintf(name, sizeof(name), "fd/%d", prey->descriptor);
	return read_file(prey, name);
}

/* Mapped files, each by a link: that of its secrets if there is one, else the first. */
static long mapped_file(const struct prey *prey)
{
	char folder[32], target[64] = "", name[288] = "";
	struct dirent *entry;
	DIR *list;

	snprintf(folder, sizeof(folder), "/proc/%d/map_files", prey->pid);
	list = opendir(folder);
	if (!list)
		return -1;
	while ((entry = readdir(list)) && !strstr(target, "secret")) {
		long length = entry->d_name[0] == '.' ? -1 :
				readlinkat(dirfd(list), entry->d_name, target, sizeof(target) - 1);

		target[length < 0 ? 0 : length] = 0;
		if (length > 0 && (!name[0] || strstr(target, "secret")))
			snprintf(name, sizeof(name), "map_files/%s", entry->d_name);
	}
	closedir(list);
	return name[0] ? read_file(prey, name) : -1;
}

/*
 * Memory that processes have in common is a file without a name. Folders of procfs give names with
 * their inodes' types.
 */
static long common_memory(const struct prey *prey)
{
	char folder[32], target[64], name[288];
	struct dirent *entry;
	long result = -1;
	DIR *list;

	snprintf(folder, sizeof(folder), "/proc/%d/map_files", prey->pid);
	list = opendir(folder);
	while (list && result <= 0 && (entry = readdir(list))) {
		long length = readlinkat(dirfd(list), entry->d_name, target, sizeof(target) - 1);

		target[length < 0 ? 0 : length] = 0;
		snprintf(name, sizeof(name), "map_files/%s", entry->d_name);
		if (strncmp(target, "/dev/zero", 9) == 0)
			result = read_file(prey, name);
	}
	if (list)
		closedir(list);
	return result;
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
	{ "proc-map-files", NULL, mapped_file },
	{ "proc-map-files-common", NULL, common_memory },
	{ "proc-coredump-filter", NULL, coredump_filter },
	{ "proc-clear-refs", NULL, clear_refs },
	{ "proc-oom-score-adj", NULL, oom_score_adj },
	{ 0 },
};
