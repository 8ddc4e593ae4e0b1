/* SPDX-License-Identifier: Apache-2.0 */
/* Goals that are samples of a stack, by perf_event_open(2). */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "combination.h"

#define STACK_SAMPLE 2048
#define RING_PAGES 64

/* The path that a probe names lies behind the attributes. */
struct sampling {
	struct perf_event_attr attributes;
	char path[256];
};

static struct sampling stack_samples(void)
{
	return (struct sampling){
		.attributes = {
			.type = PERF_TYPE_SOFTWARE,
			.size = sizeof(struct perf_event_attr),
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.sample_period = 200000,
			.sample_type = PERF_SAMPLE_STACK_USER,
			.sample_stack_user = STACK_SAMPLE,
		},
	};
}

static long open_event(const struct sampling *sampling, size_t change_at, int task, int processor)
{
	lay(&(struct image){ sampling, sizeof(*sampling), change_at, 0 });
	if (parts.is_narrow)
		return call_narrow(336, (long)arguments_page, task, processor, -1,
				   PERF_FLAG_FD_CLOEXEC);
	return syscall(SYS_perf_event_open, arguments_page, task, processor, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

static long sample_task(void)
{
	struct sampling sampling = stack_samples();

	return open_event(&sampling, offsetof(struct perf_event_attr, sample_type), aim(), -1);
}

/* The victim runs on the first processor. */
static long sample_all(void)
{
	struct sampling sampling = stack_samples();

	return open_event(&sampling, offsetof(struct perf_event_attr, sample_type), -1, 0);
}

static int probe_type;

static void find_probe_type(void)
{
	int fd = open("/sys/bus/event_source/devices/uprobe/type", O_RDONLY | O_CLOEXEC);
	char text[16] = "";

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	drop(fd);
	probe_type = atoi(text);
}

/* The victim runs the same file as this process. */
static unsigned long place_in_file(unsigned long address)
{
	const Elf64_Phdr *segment = (void *)getauxval(AT_PHDR);

	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		if (segment[i].p_type == PT_LOAD && address >= segment[i].p_vaddr &&
		    address < segment[i].p_vaddr + segment[i].p_filesz)
			return address - segment[i].p_vaddr + segment[i].p_offset;
	return 0;
}

/* At the function that victims call with the canary on the stack. */
static long probe(void)
{
	struct sampling sampling = stack_samples();
	char link[32];

	sampling.attributes.type = probe_type;
	sampling.attributes.config = 0;
	sampling.attributes.sample_period = 1;
	sampling.attributes.config1 = (unsigned long)arguments_page + offsetof(struct sampling, path);
	sampling.attributes.config2 = place_in_file((unsigned long)touch_canary);
	snprintf(link, sizeof(link), "/proc/%d/exe", quarry.pid);
	if (readlink(link, sampling.path, sizeof(sampling.path) - 1) < 0)
		return -1;
	return open_event(&sampling, offsetof(struct perf_event_attr, type), -1, 0);
}

static long read_samples(int fd)
{
	char *ring = mmap(NULL, (1 + RING_PAGES) * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	long finds;

	if (ring == MAP_FAILED)
		return 0;
	have_quarry('s');
	finds = count_canaries(ring + PAGE_BYTES, RING_PAGES * PAGE_BYTES);
	munmap(ring, (1 + RING_PAGES) * PAGE_BYTES);
	return finds;
}

const struct goal perf_goals[] = {
	{ "samples", NULL, sample_task, read_samples, 0, NULL },
	{ "samples-of-all", NULL, sample_all, read_samples, 0, NULL },
	{ "probe", find_probe_type, probe, read_samples, 0, NULL },
	{ 0 },
};
