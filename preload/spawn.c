/* SPDX-License-Identifier: Apache-2.0 */
/* posix_spawn(3), posix_spawnp(3). */
#define _GNU_SOURCE
#include "interposer.h"

#include <errno.h>

#define MAX_PATH_BYTES 4096

/*
 * File actions could close the descriptor that the child needs, and nobody can look into them: once a
 * program has used addclosefrom, its children with file actions get plain values.
 */
static bool closes_all;

struct call {
	pid_t *pid;
	/* The path, or the name to look for. */
	const char *program;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv;
};

static int go_spawn(const void *arguments, char *const envp[])
{
	const struct call *call = arguments;

	find_next_functions();
	return next.posix_spawn ? next.posix_spawn(call->pid, call->program, call->actions,
						   call->attributes, call->argv, envp)
				: ENOSYS;
}

static int go_spawnp(const void *arguments, char *const envp[])
{
	const struct call *call = arguments;

	find_next_functions();
	return next.posix_spawnp ? next.posix_spawnp(call->pid, call->program, call->actions,
						     call->attributes, call->argv, envp)
				 : ENOSYS;
}

INTERPOSED int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from)
{
	closes_all = true;
	find_next_functions();
	return next.posix_spawn_file_actions_addclosefrom_np
		       ? next.posix_spawn_file_actions_addclosefrom_np(actions, from)
		       : ENOSYS;
}

INTERPOSED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[],
			   char *const envp[])
{
	struct call call = { pid, path, actions, attributes, argv };

	return launch(actions && closes_all ? NULL : path, envp, go_spawn, &call);
}

INTERPOSED int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const argv[],
			    char *const envp[])
{
	struct call call = { pid, name, actions, attributes, argv };
	char path[MAX_PATH_BYTES];
	bool found = secrets.start && !(actions && closes_all) &&
		     find_program(name, path, sizeof(path));

	return launch(found ? path : NULL, envp, go_spawnp, &call);
}
