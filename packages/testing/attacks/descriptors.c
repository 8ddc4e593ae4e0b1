/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of its descriptor of secret memory, by pidfd_getfd(2). */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

static long take(const struct prey *prey)
{
	int pidfd = pidfd_of(prey->pid);
	long result = close_again(syscall(SYS_pidfd_getfd, pidfd, prey->descriptor, 0));

	close_again(pidfd);
	return result;
}

static long take_and_map(const struct prey *prey)
{
	int pidfd = pidfd_of(prey->pid);
	int fd = syscall(SYS_pidfd_getfd, pidfd, prey->descriptor, 0);
	char *page = fd < 0 ? MAP_FAILED : mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	long leaked = page == MAP_FAILED ? -1 : canary_bytes(page, PAGE_BYTES);

	close_again(fd);
	close_again(pidfd);
	return leaked;
}

const struct attack descriptor_attacks[] = {
	{ "pidfd-getfd", NULL, take },
	{ "pidfd-getfd-map", NULL, take_and_map },
	{ 0 },
};
