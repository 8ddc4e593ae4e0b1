/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many attempts, each by a separate process, which may be killed. The bytes that it has read by
 * then are in memory that it shares with this one. A line for each kind of end: `refused ERRNO
 * TIMES`, `ok TIMES`, `killed TIMES`, `leaked TIMES`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define ERRORS 256

/* The attacker writes it, and it is read when the attacker is gone. */
struct attempt {
	long result;
	int error, is_done;
};

struct tally {
	long refused[ERRORS], ok, killed, leaked;
};

static void attempt_once(const struct attack *attack, const struct prey *prey,
			 volatile struct attempt *attempt)
{
	long result = attack->run(prey);

	attempt->error = result < 0 ? errno : 0;
	attempt->result = result;
	attempt->is_done = 1;
	_exit(0);
}

/* Its helpers' end is waited for, too: they may have something after it has none. */
static int end_of(pid_t pid)
{
	int status, end = 0;
	pid_t ended;

	while ((ended = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (ended != pid)
			continue;
		end = status;
		*is_over = 1;
	}
	return end;
}

static void count_end(struct tally *tally, int status, const volatile struct attempt *attempt)
{
	if (canary_bytes(loot, LOOT_BYTES) > 0 || (attempt->is_done && attempt->result > 0))
		tally->leaked += 1;
	if (WIFSIGNALED(status) || !attempt->is_done)
		tally->killed += 1;
	else if (attempt->result < 0)
		tally->refused[attempt->error % ERRORS] += 1;
	else
		tally->ok += 1;
}

static void print(const struct tally *tally)
{
	for (int error = 0; error < ERRORS; error++)
		if (tally->refused[error])
			printf("refused %s %ld\n", strerrorname_np(error), tally->refused[error]);
	printf("ok %ld\nkilled %ld\nleaked %ld\n", tally->ok, tally->killed, tally->leaked);
}

long campaign(const struct attack *attack, const struct prey *prey, long count)
{
	volatile struct attempt *attempt = mmap(NULL, sizeof(*attempt), PROT_READ | PROT_WRITE,
						MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct tally tally = { 0 };

	fflush(stdout);
	for (long i = 0; i < count; i++) {
		pid_t pid;

		memset(loot, 0, LOOT_BYTES);
		memset((void *)attempt, 0, sizeof(*attempt));
		*is_over = 0;
		pid = fork();
		if (pid == 0)
			attempt_once(attack, prey, attempt);
		count_end(&tally, pid < 0 ? 0 : end_of(pid), attempt);
	}
	print(&tally);
	return tally.ok;
}
