/* SPDX-License-Identifier: Apache-2.0 */
/* The shell that system(3) and popen(3) start, and its end. */
#include "interposer.h"
#include "system-call.h"

int spawn_shell(const char *command, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, pid_t *pid)
{
	char *const argv[] = { "sh", "-c", (char *)command, NULL };

	return posix_spawn(pid, "/bin/sh", actions, attributes, argv, environ);
}

/* No thread is cancelled in here: it would leave signals blocked and the child unheard of. */
int wait_for(pid_t pid)
{
	int status;
	long ended;

	do
		ended = system_call(SYS_wait4, (long)pid, &status, 0L, NULL);
	while (ended == -EINTR);
	if (ended >= 0)
		return status;
	errno = (int)-ended;
	return -1;
}
