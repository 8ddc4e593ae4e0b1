/* SPDX-License-Identifier: Apache-2.0 */
/* ptrace(2) */
#define _GNU_SOURCE
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

static long let_go(pid_t pid, long result)
{
	if (result == 0 && waitpid(pid, NULL, __WALL) == pid)
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return result;
}

static long attach(const struct prey *prey)
{
	return let_go(prey->pid, ptrace(PTRACE_ATTACH, prey->pid, NULL, NULL));
}

/* The tracer's end releases it. */
static long seize(const struct prey *prey)
{
	return ptrace(PTRACE_SEIZE, prey->pid, NULL, NULL);
}

/* By the numbers of 32-bit programs, from a program of 64 bits. */
static long attach_by_int80(const struct prey *prey)
{
	long result;

	asm volatile("int $0x80" : "=a"(result)
		     : "a"(26L), "b"((long)PTRACE_ATTACH), "c"((long)prey->pid), "d"(0L), "S"(0L)
		     : "memory", "r8", "r9", "r10", "r11");
	return let_go(prey->pid, result);
}

const struct attack ptrace_attacks[] = {
	{ "ptrace-attach", NULL, attach },
	{ "ptrace-seize", NULL, seize },
	{ "ptrace-attach-by-int80", NULL, attach_by_int80 },
	{ 0 },
};
