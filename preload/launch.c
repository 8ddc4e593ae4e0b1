/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child gets, instead of the values in its environment, its own region with those that
 * it should have, and placeholders. Called between fork and exec, and in the memory of a
 * parent that waits in vfork: no malloc, no lock, nothing written that outlives the call. An exec
 * that succeeds does not return, so its data is on the stack: memory that was mapped would
 * stay with the parent.
 */
#define _GNU_SOURCE
#include "child-environment.h"
#include "system-call.h"

#include <alloca.h>
#include <fcntl.h>

#define PAGE_BYTES 4096UL
#define FIRST_HANDED_FD 100
#define FIRST_FREE_FD 3

static size_t to_pages(size_t bytes)
{
	return (bytes + PAGE_BYTES) / PAGE_BYTES * PAGE_BYTES;
}

static int duplicate(long fd, int command, int least)
{
	return (int)system_call(SYS_fcntl, fd, (long)command, (long)least);
}

/* This process becomes the child: from here on the descriptor stays open. */
static bool number_for_exec(long region, struct handed *handed)
{
	handed->fd = duplicate(region, F_DUPFD, FIRST_HANDED_FD);
	/* RLIMIT_NOFILE may be that low. */
	if (handed->fd < 0)
		handed->fd = duplicate(region, F_DUPFD, FIRST_FREE_FD);
	handed->number = handed->fd;
	return handed->fd >= 0;
}

/*
 * The child takes the number in its own file actions. Here all is close-on-exec, as another thread
 * may start another child meanwhile, and the number must not become another file's.
 */
static bool number_for_spawn(long region, const struct launch *launch, struct handed *handed)
{
	handed->fd = duplicate(region, F_DUPFD_CLOEXEC, launch->least);
	if (handed->fd < 0)
		return false;
	handed->number = launch->number;
	if (handed->number < 0)
		handed->number = duplicate(region, F_DUPFD_CLOEXEC, launch->least);
	if (handed->number < 0)
		system_call(SYS_close, (long)handed->fd);
	return handed->number >= 0;
}

static void give_back(const struct launch *launch, const struct handed *handed)
{
	system_call(SYS_close, (long)handed->fd);
	if (launch->spawns && launch->number < 0)
		system_call(SYS_close, (long)handed->number);
}

/* Makes the child's region and environment. */
static bool hand_over(char **slots, const struct plan *plan, const struct launch *launch,
		      bool library, struct handed *handed)
{
	struct region region = { NULL, plan->region_bytes };
	size_t mapped = to_pages(plan->region_bytes);
	long fd = make_region(mapped, &region.start);
	bool numbered;

	if (fd < 0)
		return false;
	numbered = launch->spawns ? number_for_spawn(fd, launch, handed)
				  : number_for_exec(fd, handed);
	if (numbered && library)
		write_for_library(slots, plan, launch->envp, &region, handed->number);
	else if (numbered)
		write_environment(slots, plan, launch->envp, &region, handed->number);
	system_call(SYS_close, fd);
	system_call(SYS_munmap, region.start, mapped);
	return numbered;
}

static int go_with(const struct launch *launch, char *const envp[], const struct handed *handed)
{
	return launch->go(launch->arguments, envp, handed);
}

/*
 * Calls `go` with the environment for the child that it starts: placeholders and a region, or,
 * if there is nothing to hide or nothing can be hidden, the caller's environment. `go` alone
 * sets
 * errno.
 */
int launch(const struct launch *launch)
{
	struct handed handed;
	struct plan plan;
	char **slots;
	bool takes, library;
	int result, error;

	follow_generation();
	if (!secrets.start || !own_path || !launch->path || !launch->envp ||
	    !plan_environment(&plan, launch->envp) ||
	    (!plan.secrets && !names_own(plan.preload)))
		return go_with(launch, launch->envp, NULL);
	slots = alloca(scratch_bytes(&plan));
	library = plan.secrets && imports_library(launch->path);
	takes = library || can_take(launch->path);
	if (!takes && names_own(plan.preload)) {
		write_without_interposer(slots, &plan, launch->envp);
		return go_with(launch, slots, NULL);
	}
	if (!takes || !plan.secrets || !hand_over(slots, &plan, launch, library, &handed))
		return go_with(launch, launch->envp, NULL);
	result = go_with(launch, slots, &handed);
	error = errno;
	give_back(launch, &handed);
	errno = error;
	return result;
}
