/* SPDX-License-Identifier: Apache-2.0 */
/* The exec functions: exec(3), execve(2), fexecve(3), execveat(2). */
#define _GNU_SOURCE
#include "interposer.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_PATH_BYTES 4096
#define MAX_ARGUMENTS 65536

extern char **environ;

struct call {
	/* The path, or the name to look for. */
	const char *program;
	char *const *argv;
	/* Of fexecve and execveat. */
	int fd, flags;
};

static int go_execve(const void *arguments, char *const envp[])
{
	const struct call *call = arguments;

	find_next_functions();
	return next.execve ? next.execve(call->program, call->argv, envp)
			   : (int)syscall(SYS_execve, call->program, call->argv, envp);
}

static int go_execvpe(const void *arguments, char *const envp[])
{
	const struct call *call = arguments;

	find_next_functions();
	if (next.execvpe)
		return next.execvpe(call->program, call->argv, envp);
	errno = ENOSYS;
	return -1;
}

static int go_execveat(const void *arguments, char *const envp[])
{
	const struct call *call = arguments;

	return syscall(SYS_execveat, call->fd, call->program, call->argv, envp, call->flags);
}

static int go_fexecve(const void *arguments, char *const envp[])
{
	const struct call *call = arguments;

	find_next_functions();
	return next.fexecve ? next.fexecve(call->fd, call->argv, envp)
			    : (int)syscall(SYS_execveat, call->fd, "", call->argv, envp,
					   AT_EMPTY_PATH);
}

INTERPOSED int execve(const char *path, char *const argv[], char *const envp[])
{
	struct call call = { .program = path, .argv = argv };

	return launch(path, envp, go_execve, &call);
}

INTERPOSED int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

INTERPOSED int execvpe(const char *name, char *const argv[], char *const envp[])
{
	struct call call = { .program = name, .argv = argv };
	char path[MAX_PATH_BYTES];
	bool found = secrets.start && find_program(name, path, sizeof(path));

	return launch(found ? path : NULL, envp, go_execvpe, &call);
}

INTERPOSED int execvp(const char *name, char *const argv[])
{
	return execvpe(name, argv, environ);
}

static bool path_of(int folder, const char *path, char *target, size_t size)
{
	const char *format = *path ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d";

	if (*path == '/' || (folder == AT_FDCWD && *path))
		return snprintf(target, size, "%s", path) < (int)size;
	return snprintf(target, size, format, folder, path) < (int)size;
}

INTERPOSED int execveat(int folder, const char *path, char *const argv[], char *const envp[],
			int flags)
{
	struct call call = { .program = path, .argv = argv, .fd = folder, .flags = flags };
	char target[MAX_PATH_BYTES];
	bool found = path && path_of(folder, path, target, sizeof(target));

	return launch(found ? target : NULL, envp, go_execveat, &call);
}

INTERPOSED int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct call call = { .argv = argv, .fd = fd };
	char target[MAX_PATH_BYTES];
	bool found = path_of(fd, "", target, sizeof(target));

	return launch(found ? target : NULL, envp, go_fexecve, &call);
}

/* How many arguments follow, with the NULL at their end. */
static size_t count_arguments(va_list list)
{
	size_t count = 1;

	while (count < MAX_ARGUMENTS && va_arg(list, char *))
		count++;
	return count;
}

static void copy_arguments(char **argv, const char *first, va_list list, size_t count)
{
	argv[0] = (char *)first;
	for (size_t index = 1; index <= count; index++)
		argv[index] = va_arg(list, char *);
}

/* The variable arguments as an array on the caller's stack: these are called in vforked children. */
#define GATHER(argv, first, list)                                            \
	do {                                                                  \
		va_list counting;                                             \
		size_t count;                                                 \
                                                                              \
		va_start(list, first);                                        \
		va_copy(counting, list);                                      \
		count = first ? count_arguments(counting) : 0;                \
		va_end(counting);                                             \
		argv = alloca((count + 1) * sizeof(char *));                  \
		copy_arguments(argv, first, list, count);                     \
	} while (0)

INTERPOSED int execl(const char *path, const char *first, ...)
{
	va_list list;
	char **argv;

	GATHER(argv, first, list);
	va_end(list);
	return execve(path, argv, environ);
}

INTERPOSED int execlp(const char *name, const char *first, ...)
{
	va_list list;
	char **argv;

	GATHER(argv, first, list);
	va_end(list);
	return execvpe(name, argv, environ);
}

INTERPOSED int execle(const char *path, const char *first, ...)
{
	va_list list;
	char **argv;
	char *const *envp;

	GATHER(argv, first, list);
	envp = va_arg(list, char *const *);
	va_end(list);
	return execve(path, argv, envp);
}
