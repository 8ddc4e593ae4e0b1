/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that take a process. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "attack.h"

/* The answer of the attempt says that nothing is at a stranger's address. */
static long vm_readv(const struct prey *prey)
{
	struct iovec own = { loot, PAGE_BYTES };
	struct iovec other = { (void *)prey->address, PAGE_BYTES };
	long length = syscall(SYS_process_vm_readv, prey->pid, &own, 1L, &other, 1L, 0L);

	return length < 0 ? -1 : canary_bytes(loot, length);
}

/* Nothing is written: there is nothing at its address 0. */
static long vm_writev(const struct prey *prey)
{
	struct iovec own = { loot, 1 };
	struct iovec other = { NULL, 1 };

	return syscall(SYS_process_vm_writev, prey->pid, &own, 1L, &other, 1L, 0L);
}

/* By the numbers of x32, which most kernels refuse after all. */
static long vm_readv_by_x32(const struct prey *prey)
{
	return syscall(0x40000000 | 539, prey->pid, NULL, 0L, NULL, 0L, 0L);
}

/* KCMP_FILE of linux/kcmp.h: is descriptor 0 of both the same? */
static long kcmp_first(const struct prey *prey)
{
	return syscall(SYS_kcmp, prey->pid, getpid(), 0, 0L, 0L) < 0 ? -1 : 0;
}

static long kcmp_second(const struct prey *prey)
{
	return syscall(SYS_kcmp, getpid(), prey->pid, 0, 0L, 0L) < 0 ? -1 : 0;
}

/* MADV_COLD of linux/mman.h, of a separate page. */
static long madvise_process(const struct prey *prey)
{
	struct iovec page = { (void *)(prey->address & -(unsigned long)PAGE_BYTES), PAGE_BYTES };
	int pidfd = pidfd_of(prey->pid);
	long result = syscall(SYS_process_madvise, pidfd, &page, 1L, 20L, 0L);

	close_again(pidfd);
	return result < 0 ? -1 : 0;
}

/* On which node of memory is the page? */
static long move_pages(const struct prey *prey)
{
	void *page = (void *)prey->address;
	int status;

	return syscall(SYS_move_pages, prey->pid, 1L, &page, NULL, &status, 0L);
}

static long migrate_pages(const struct prey *prey)
{
	unsigned long node = 1;

	return syscall(SYS_migrate_pages, prey->pid, 8 * sizeof(node), &node, &node) < 0 ? -1 : 0;
}

static long robust_list(const struct prey *prey)
{
	void *head;
	size_t length;

	return syscall(SYS_get_robust_list, prey->pid, &head, &length);
}

/* The namespace of names that it is in already. */
static long join_namespace(const struct prey *prey)
{
	int pidfd = pidfd_of(prey->pid);
	long result = setns(pidfd, CLONE_NEWUTS);

	close_again(pidfd);
	return result;
}

static long sample(const struct prey *prey)
{
	struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attributes) };

	return close_again(syscall(SYS_perf_event_open, &attributes, prey->pid, -1, -1, 0L));
}

const struct attack call_attacks[] = {
	{ "process-vm-readv", NULL, vm_readv },
	{ "process-vm-writev", NULL, vm_writev },
	{ "process-vm-readv-by-x32", NULL, vm_readv_by_x32 },
	{ "kcmp-first", NULL, kcmp_first },
	{ "kcmp-second", NULL, kcmp_second },
	{ "process-madvise", NULL, madvise_process },
	{ "move-pages", NULL, move_pages },
	{ "migrate-pages", NULL, migrate_pages },
	{ "get-robust-list", NULL, robust_list },
	{ "setns-pidfd", NULL, join_namespace },
	{ "perf-event-open", NULL, sample },
	{ 0 },
};
