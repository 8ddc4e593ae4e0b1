/* SPDX-License-Identifier: Apache-2.0 */
/* The exec functions: exec(3), execve(2), fexecve(3), execveat(2). */
#define _GNU_SOURCE
#include "interposer.h"
#include "system-call.h"

#include <alloca.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define MAX_ARGUMENTS 65536

struct call {
	/* The path, or the name to look for. */
	const char *program;
	char *const *argv;
	/* The arguments of fexecve and execveat. */
	int fd, flags;
};

/* As libc's wrappers return the kernel's result. */
static int with_errno(long result)
{
	if (result >= 0)
		return (int)result;
	errno = (int)-result;
	return -1;
}

static int go_execve(const void *arguments, char *const envp[], const struct handed *handed)
{
	const struct call *call = arguments;

	(void)handed;
	find_next_functions();
	if (next.execve)
		return next.execve(call->program, call->argv, envp);
	return with_errno(system_call(SYS_execve, call->program, call->argv, envp));
}

static int go_execvpe(const void *arguments, char *const envp[], const struct handed *handed)
{
	const struct call *call = arguments;

	(void)handed;
	find_next_functions();
	return next.execvpe ? next.execvpe(call->program, call->argv, envp) : with_errno(-ENOSYS);
}

static int go_execveat(const void *arguments, char *const envp[], const struct handed *handed)
{
	const struct call *call = arguments;

	(void)handed;
	return with_errno(system_call(SYS_execveat, (long)call->fd, call->program, call->argv, envp,
				      (long)call->flags));
}

static int go_fexecve(const void *arguments, char *const envp[], const struct handed *handed)
{
	const struct call *call = arguments;

	(void)handed;
	find_next_functions();
	return next.fexecve ? next.fexecve(call->fd, call->argv, envp) : with_errno(-ENOSYS);
}

static int launch_exec(const struct call *call, const char *path, launch_function *go,
		       char *const envp[])
{
	return launch(&(struct launch){
		.path = path, .envp = envp, .go = go, .arguments = call });
}

INTERPOSED int execve(const char *path, char *const argv[], char *const envp[])
{
	struct call call = { .program = path, .argv = argv };

	return launch_exec(&call, path, go_execve, envp);
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

	return launch_exec(&call, found ? path : NULL, go_execvpe, envp);
}

INTERPOSED int execvp(const char *name, char *const argv[])
{
	return execvpe(name, argv, environ);
}

/*
 * The path that leads to `path` as seen from a descriptor; to the open file, if `path` is empty.
 */
static bool path_of(int folder, const char *path, char *target, size_t size)
{
	static const char descriptors[] = "/proc/self/fd/";
	bool plain = *path == '/' || (folder == AT_FDCWD && *path);
	char digits[12];
	int at = sizeof(digits);
	size_t used = plain ? 0 : sizeof(descriptors) - 1;

	if ((folder < 0 && !plain) || strlen(path) + sizeof(descriptors) + sizeof(digits) >= size)
		return false;
	memcpy(target, descriptors, used);
	for (int rest = folder; !plain && (rest || at == sizeof(digits)); rest /= 10)
		digits[--at] = (char)('0' + rest % 10);
	memcpy(target + used, digits + at, sizeof(digits) - at);
	used += sizeof(digits) - at;
	if (!plain && *path)
		target[used++] = '/';
	memcpy(target + used, path, strlen(path) + 1);
	return true;
}

INTERPOSED int execveat(int folder, const char *path, char *const argv[], char *const envp[],
			int flags)
{
	struct call call = { .program = path, .argv = argv, .fd = folder, .flags = flags };
	char target[MAX_PATH_BYTES];
	bool found = path && path_of(folder, path, target, sizeof(target));

	return launch_exec(&call, found ? target : NULL, go_execveat, envp);
}

INTERPOSED int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct call call = { .argv = argv, .fd = fd };
	char target[MAX_PATH_BYTES];
	bool found = path_of(fd, "", target, sizeof(target));

	return launch_exec(&call, found ? target : NULL, go_fexecve, envp);
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

/*
 * The variable arguments as an array on the caller's stack: these are called in vforked children.
 */
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
