/* SPDX-License-Identifier: Apache-2.0 */
/* posix_spawn(3), posix_spawnp(3). */
#define _GNU_SOURCE
#include "interposer.h"

#include <errno.h>
#include <spawn.h>

#define MAX_PATH_BYTES 4096

/*
 * File actions could close the descriptor that the child needs, and nobody can look into them: once a
 * program has used addclosefrom, its children with file actions get plain values.
 */
static bool closes_all;

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
	struct child child;
	int result;

	find_next_functions();
	if (!next.posix_spawn)
		return ENOSYS;
	if ((actions && closes_all) || !prepare_child(&child, path, envp))
		return next.posix_spawn(pid, path, actions, attributes, argv, envp);
	result = next.posix_spawn(pid, path, actions, attributes, argv, child.envp);
	forget_child(&child);
	return result;
}

INTERPOSED int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const argv[],
			    char *const envp[])
{
	char path[MAX_PATH_BYTES];
	struct child child;
	int result;

	find_next_functions();
	if (!next.posix_spawnp)
		return ENOSYS;
	if ((actions && closes_all) || !find_program(name, path, sizeof(path)) ||
	    !prepare_child(&child, path, envp))
		return next.posix_spawnp(pid, name, actions, attributes, argv, envp);
	result = next.posix_spawnp(pid, name, actions, attributes, argv, child.envp);
	forget_child(&child);
	return result;
}
