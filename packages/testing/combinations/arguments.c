/* SPDX-License-Identifier: Apache-2.0 */
/* The memory in which the arguments of a call lie: it is in the page table, or is not. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "combination.h"

#define RW (PROT_READ | PROT_WRITE)

char *arguments_page;

static enum arguments laid_way;
static int file = -1, faults = -1;
static char pending[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
static uint32_t *changed;
static volatile uint32_t harmful, harmless;

int start_helper(int (*work)(void *), void *argument)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	char *stack = mmap(NULL, STACK_BYTES, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return stack == MAP_FAILED ? -1 : clone(work, stack + STACK_BYTES, flags, argument);
}

/* Also when nothing has been laid yet. */
static int alternate(void *unused)
{
	(void)unused;
	for (;;) {
		volatile uint32_t *word = *(uint32_t *volatile *)&changed;

		if (!word)
			continue;
		*word = harmless;
		for (volatile int i = 0; i < 20; i++)
			;
		*word = harmful;
		for (volatile int i = 0; i < 20; i++)
			;
	}
	return 0;
}

/* Its calls must not touch errno, which the thread has in common with its creator. */
static int fill_in_pages(void *unused)
{
	struct uffd_msg message;
	struct uffdio_copy copy = { .src = (unsigned long)pending, .len = PAGE_BYTES };

	(void)unused;
	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		copy.dst = (unsigned long)arguments_page;
		if (message.event == UFFD_EVENT_PAGEFAULT)
			ioctl(faults, UFFDIO_COPY, &copy);
	}
	return 0;
}

static int open_faulted(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = {
		.range.len = PAGE_BYTES,
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	arguments_page = mmap(NULL, PAGE_BYTES, RW, MAP_PRIVATE | MAP_ANONYMOUS | LOW_MEMORY, -1, 0);
	area.range.start = (unsigned long)arguments_page;
	faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (arguments_page == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &area))
		return -1;
	return start_helper(fill_in_pages, NULL) < 0 ? -1 : 0;
}

int open_arguments(enum arguments way)
{
	laid_way = way;
	if (way == FAULTED)
		return open_faulted();
	file = memfd_create("arguments", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, PAGE_BYTES))
		return -1;
	arguments_page = mmap(NULL, PAGE_BYTES, RW, MAP_SHARED | LOW_MEMORY, file, 0);
	if (arguments_page == MAP_FAILED)
		return -1;
	changed = NULL;
	return way == REWRITTEN && start_helper(alternate, NULL) < 0 ? -1 : 0;
}

static void alternate_in(const struct image *image)
{
	memcpy((void *)&harmful, arguments_page + image->change_at, sizeof(harmful));
	harmless = image->harmless;
	__atomic_store_n(&changed, (uint32_t *)(arguments_page + image->change_at), __ATOMIC_RELEASE);
}

void lay(const struct image *image)
{
	if (laid_way == FAULTED) {
		memcpy(pending, image->bytes, image->length);
		madvise(arguments_page, PAGE_BYTES, MADV_DONTNEED);
		return;
	}
	if (laid_way == COLD) {
		if (pwrite(file, image->bytes, image->length, 0) < 0)
			return;
		mmap(arguments_page, PAGE_BYTES, RW, MAP_SHARED | MAP_FIXED, file, 0);
		return;
	}
	memcpy(arguments_page, image->bytes, image->length);
	if (laid_way == DROPPED)
		madvise(arguments_page, PAGE_BYTES, MADV_DONTNEED);
	if (laid_way == REWRITTEN)
		alternate_in(image);
}
