/* SPDX-License-Identifier: Apache-2.0 */
/* posix_spawn(3), posix_spawnp(3). */
#define _GNU_SOURCE
#include "interposer.h"

#include <alloca.h>

struct call {
	pid_t *pid;
	/* The path, or the name to look for. */
	const char *program;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv;
};

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);

static int go(spawn_function *spawn, const struct call *call, char *const envp[],
	      const struct handed *handed)
{
	posix_spawn_file_actions_t extended;

	if (!spawn)
		return ENOSYS;
	if (!handed)
		return spawn(call->pid, call->program, call->actions, call->attributes, call->argv,
			     envp);
	extend_actions(call->actions, handed, alloca(extended_bytes(call->actions)), &extended);
	return spawn(call->pid, call->program, &extended, call->attributes, call->argv, envp);
}

static int go_spawn(const void *arguments, char *const envp[], const struct handed *handed)
{
	find_next_functions();
	return go(next.posix_spawn, arguments, envp, handed);
}

static int go_spawnp(const void *arguments, char *const envp[], const struct handed *handed)
{
	find_next_functions();
	return go(next.posix_spawnp, arguments, envp, handed);
}

static int launch_spawn(const struct call *call, const char *path, launch_function *go_on,
			char *const envp[])
{
	struct file_plan plan = { 0 };
	bool known = path && secrets.start && plan_actions(call->actions, &plan);

	/* The actions change the folder that a path begins in. */
	if (known && plan.moves && path[0] != '/')
		known = false;
	return launch(&(struct launch){
		.path = known ? path : NULL,
		.envp = envp,
		.go = go_on,
		.arguments = call,
		.spawns = true,
		.least = plan.least,
		.number = plan.number,
	});
}

INTERPOSED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[],
			   char *const envp[])
{
	struct call call = { pid, path, actions, attributes, argv };

	return launch_spawn(&call, path, go_spawn, envp);
}

INTERPOSED int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const argv[],
			    char *const envp[])
{
	struct call call = { pid, name, actions, attributes, argv };
	char path[MAX_PATH_BYTES];
	bool found = secrets.start && find_program(name, path, sizeof(path));

	return launch_spawn(&call, found ? path : NULL, go_spawnp, envp);
}
