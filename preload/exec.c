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

static int call_on(const char *path, char *const argv[], char *const envp[])
{
	find_next_functions();
	return next.execve ? next.execve(path, argv, envp)
			   : (int)syscall(SYS_execve, path, argv, envp);
}

INTERPOSED int execve(const char *path, char *const argv[], char *const envp[])
{
	struct child child;

	if (!prepare_child(&child, path, envp))
		return call_on(path, argv, envp);
	call_on(path, argv, child.envp);
	forget_child(&child);
	return -1;
}

INTERPOSED int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

INTERPOSED int execvpe(const char *name, char *const argv[], char *const envp[])
{
	char path[MAX_PATH_BYTES];
	struct child child;

	find_next_functions();
	if (!next.execvpe) {
		errno = ENOSYS;
		return -1;
	}
	if (!find_program(name, path, sizeof(path)) || !prepare_child(&child, path, envp))
		return next.execvpe(name, argv, envp);
	next.execvpe(name, argv, child.envp);
	forget_child(&child);
	return -1;
}

INTERPOSED int execvp(const char *name, char *const argv[])
{
	return execvpe(name, argv, environ);
}

static int path_of(int folder, const char *path, char *target, size_t size)
{
	if (*path == '/' || (folder == AT_FDCWD && *path))
		return snprintf(target, size, "%s", path) < (int)size;
	return snprintf(target, size, *path ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d", folder,
			path) < (int)size;
}

INTERPOSED int execveat(int folder, const char *path, char *const argv[], char *const envp[],
			int flags)
{
	char target[MAX_PATH_BYTES];
	struct child child;

	if (!path || !path_of(folder, path, target, sizeof(target)) ||
	    !prepare_child(&child, target, envp))
		return syscall(SYS_execveat, folder, path, argv, envp, flags);
	syscall(SYS_execveat, folder, path, argv, child.envp, flags);
	forget_child(&child);
	return -1;
}

INTERPOSED int fexecve(int fd, char *const argv[], char *const envp[])
{
	char target[64];
	struct child child;

	find_next_functions();
	if (!next.fexecve)
		return execveat(fd, "", argv, envp, AT_EMPTY_PATH);
	if (!path_of(fd, "", target, sizeof(target)) || !prepare_child(&child, target, envp))
		return next.fexecve(fd, argv, envp);
	next.fexecve(fd, argv, child.envp);
	forget_child(&child);
	return -1;
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
