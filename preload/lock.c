/* SPDX-License-Identifier: Apache-2.0 */
/* One lock for the state of system(3) and popen(3); held for a few statements only. */
#include "interposer.h"
#include "system-call.h"

#include <stdatomic.h>

/* The process that holds it, or 0. */
static atomic_long holder;

/* A lock of another process is a copy in memory: its threads are not here (fork). */
void lock(void)
{
	long own = system_call(SYS_getpid);

	for (;;) {
		long found = 0;

		if (atomic_compare_exchange_weak(&holder, &found, own))
			return;
		if (found && found != own && atomic_compare_exchange_weak(&holder, &found, own))
			return;
		system_call(SYS_sched_yield);
	}
}

void unlock(void)
{
	atomic_store(&holder, 0);
}
