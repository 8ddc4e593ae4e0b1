/* SPDX-License-Identifier: Apache-2.0 */
/* ptrace(2) */
#define _GNU_SOURCE
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

static long detach_after(pid_t pid, long result)
{
	if (result == 0 && waitpid(pid, NULL, __WALL) == pid)
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return result;
}

static long attach(const struct prey *prey)
{
	return detach_after(prey->pid, ptrace(PTRACE_ATTACH, prey->pid, NULL, NULL));
}

/* The tracer's end releases it. */
static long seize(const struct prey *prey)
{
	return ptrace(PTRACE_SEIZE, prey->pid, NULL, NULL);
}

static void seize_before(const struct prey *prey)
{
	ptrace(PTRACE_SEIZE, prey->pid, NULL, NULL);
}

/* The kernel asks no further. */
static long peek(const struct prey *prey)
{
	long *words = (long *)loot;

	if (ptrace(PTRACE_INTERRUPT, prey->pid, NULL, NULL) ||
	    waitpid(prey->pid, NULL, __WALL) != prey->pid)
		return -1;
	for (size_t i = 0; i < sizeof(CANARY) / sizeof(long) + 1; i++)
		words[i] = ptrace(PTRACE_PEEKDATA, prey->pid, prey->address + i * sizeof(long), NULL);
	ptrace(PTRACE_DETACH, prey->pid, NULL, NULL);
	return canary_bytes(loot, PAGE_BYTES);
}

const struct attack ptrace_attacks[] = {
	{ "ptrace-attach", NULL, attach },
	{ "ptrace-seize", NULL, seize },
	/* For a single attacker: another process than the one that prepares it is not a tracer. */
	{ "ptrace-seized-before", seize_before, peek },
	{ 0 },
};
