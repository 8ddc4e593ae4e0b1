/* SPDX-License-Identifier: Apache-2.0 */
/* A core dump from outside: it ends by it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

static long quit(const struct prey *prey)
{
	return kill(prey->pid, SIGQUIT);
}

static long quit_by_pidfd(const struct prey *prey)
{
	int pidfd = pidfd_of(prey->pid);
	long result = syscall(SYS_pidfd_send_signal, pidfd, SIGQUIT, NULL, 0);

	close_again(pidfd);
	return result;
}

/* The kernel sends it, because something happens to a file of another process. */
static long quit_by_file(const struct prey *prey)
{
	int ends[2];
	long result;

	if (pipe(ends) || fcntl(ends[0], F_SETOWN, prey->pid) || fcntl(ends[0], F_SETSIG, SIGQUIT) ||
	    fcntl(ends[0], F_SETFL, O_ASYNC))
		return -1;
	result = write(ends[1], "", 1);
	close(ends[0]);
	close(ends[1]);
	return result < 0 ? -1 : 0;
}

/* It has this already. */
static long set_again(const struct prey *prey, int resource)
{
	struct rlimit limit;

	if (prlimit(prey->pid, resource, NULL, &limit))
		return -1;
	return prlimit(prey->pid, resource, &limit, NULL);
}

static long limit(const struct prey *prey)
{
	return set_again(prey, RLIMIT_CORE);
}

/* A process that has used it up ends by SIGXCPU, with a core dump. */
static long processor_limit(const struct prey *prey)
{
	return set_again(prey, RLIMIT_CPU);
}

/* The kernel sends SIGSEGV to a program whose stack must not grow. */
static long stack_limit(const struct prey *prey)
{
	return set_again(prey, RLIMIT_STACK);
}

/* Many programs end by abort(3) when they get no memory. */
static long memory_limit(const struct prey *prey)
{
	return set_again(prey, RLIMIT_AS);
}

const struct attack core_attacks[] = {
	{ "core-signal", NULL, quit },
	{ "core-signal-pidfd", NULL, quit_by_pidfd },
	{ "core-signal-file", NULL, quit_by_file },
	{ "core-limit", NULL, limit },
	{ "core-limit-processor", NULL, processor_limit },
	{ "core-limit-stack", NULL, stack_limit },
	{ "core-limit-memory", NULL, memory_limit },
	{ 0 },
};
