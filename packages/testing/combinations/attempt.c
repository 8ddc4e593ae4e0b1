/* SPDX-License-Identifier: Apache-2.0 */
/* One try of a combination: a process opens, and it or another one takes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "combination.h"

#define PATIENCE_SECONDS 0.5
#define DEADLINE_SECONDS 8

static int descriptor_before = -1;

/* Waits for the descriptor and uses it. It outlives the process that opened it. */
static int hold(void *unused)
{
	double end = now() + PATIENCE_SECONDS;
	int was_over = 0;

	(void)unused;
	if (parts.goal->is_laid_at_taking)
		open_arguments(parts.arguments);
	common->is_holder_ready = 1;
	while (!was_over && now() < end) {
		was_over = common->is_over;
		if (common->expected >= 0 && fcntl(common->expected, F_GETFD) >= 0) {
			common->finds += parts.goal->take(common->expected);
			break;
		}
		sched_yield();
	}
	common->is_taken = 1;
	/* A process ends with its helpers. */
	if (parts.table != THREAD)
		_exit(0);
	return 0;
}

static void start_holder(void)
{
	int flags = CLONE_FILES | CLONE_PARENT | SIGCHLD;
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (parts.table == THREAD)
		common->holder = start_helper(hold, NULL);
	else
		common->holder = clone(hold, stack + STACK_BYTES,
				       parts.table == TWIN ? flags | CLONE_VM : flags, NULL);
	while (common->holder > 0 && !common->is_holder_ready)
		sched_yield();
}

static long reach(void)
{
	if (parts.is_before)
		return descriptor_before;
	return parts.goal->reach();
}

/* The numbers of newborns follow the last one. */
static long reach_newborn(void)
{
	int loads = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	double end = now() + PATIENCE_SECONDS;
	long finds = 0;

	while (finds == 0 && now() < end) {
		char text[128] = "";
		long result;

		if (pread(loads, text, sizeof(text) - 1, 0) > 0 && strrchr(text, ' '))
			common->guess = atoi(strrchr(text, ' ')) + 1;
		for (int i = 0; i < 200 && finds == 0; i++) {
			result = parts.goal->reach();
			if (result > 0 && !parts.goal->take)
				finds = result;
			else if (result >= 0 && parts.goal->take) {
				finds = parts.goal->take(result);
				close(result);
			}
		}
	}
	return finds;
}

static void attempt(void)
{
	long result;

	if (!parts.goal->is_laid_at_taking || parts.table == OWN)
		open_arguments(parts.arguments);
	if (parts.target == NEWBORN) {
		common->finds = reach_newborn();
		return;
	}
	if (parts.goal->prepare && !parts.is_before)
		parts.goal->prepare();
	if (parts.table != OWN)
		start_holder();
	errno = 0;
	common->expected = parts.is_before ? descriptor_before : free_descriptor();
	result = reach();
	common->error = result < 0 ? errno : 0;
	if (result < 0)
		return;
	if (!parts.goal->take)
		common->finds = result;
	else if (parts.table == OWN)
		common->finds = parts.goal->take(result);
	else
		while (!common->is_taken)
			sched_yield();
}

static void end_late(pid_t pid, double start)
{
	if (pid > 0 && now() > start + DEADLINE_SECONDS)
		kill(pid, SIGKILL);
}

/* Whether the opener was killed. Its holder may have something after it has none. */
static int wait_for_all(pid_t opener)
{
	double start = now();
	int status, was_killed = 0;
	pid_t ended;

	while ((ended = waitpid(-1, &status, __WALL | WNOHANG)) >= 0 || errno == EINTR) {
		if (ended == opener) {
			was_killed = WIFSIGNALED(status);
			common->is_over = 1;
		} else if (ended > 0)
			/* Also when it was killed: the opener does not wait for it any more. */
			common->is_holder_ready = common->is_taken = 1;
		if (ended > 0)
			continue;
		usleep(100);
		end_late(common->is_over ? 0 : opener, start);
		end_late(parts.table == THREAD ? 0 : common->holder, start);
	}
	return was_killed;
}

void try_once(struct tally *tally)
{
	pid_t opener;
	int was_killed;

	memset(common, 0, sizeof(*common));
	common->expected = -1;
	common->round = parts.goal->tries ? tally->tries : 0;
	opener = fork();
	if (opener == 0) {
		common->opener = getpid();
		attempt();
		_exit(0);
	}
	was_killed = wait_for_all(opener);
	if (common->finds == 0 && count_canaries(common->booty, BOOTY_BYTES) > 0)
		common->finds = 1;
	tally->tries += 1;
	tally->killed += was_killed;
	tally->finds += common->finds;
	tally->error = common->error ? common->error : tally->error;
	if (common->finds == 0)
		return;
	tally->after_death += was_killed;
	tally->pids[tally->looters % LOOTERS_MAX][0] = opener;
	tally->pids[tally->looters++ % LOOTERS_MAX][1] = common->holder;
}

/* Opens it when the victim is not protected yet. */
void reach_before(void)
{
	if (!parts.goal->is_laid_at_taking)
		open_arguments(WARM);
	if (parts.goal->prepare)
		parts.goal->prepare();
	common->expected = free_descriptor();
	descriptor_before = parts.goal->reach();
}
