/* SPDX-License-Identifier: Apache-2.0 */
/* A core dump from outside. The victim of svc-attack ignores SIGQUIT; others end. */
#define _GNU_SOURCE
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

/* What it has already. */
static long limit(const struct prey *prey)
{
	struct rlimit core;

	if (prlimit(prey->pid, RLIMIT_CORE, NULL, &core))
		return -1;
	return prlimit(prey->pid, RLIMIT_CORE, &core, NULL);
}

const struct attack core_attacks[] = {
	{ "core-signal", NULL, quit },
	{ "core-signal-pidfd", NULL, quit_by_pidfd },
	{ "core-limit", NULL, limit },
	{ 0 },
};
