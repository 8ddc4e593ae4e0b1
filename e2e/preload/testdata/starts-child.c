/*
 * starts-child WAY PROGRAM: starts the program by one of the functions that start programs, and
 * ends as the child did. `unset-`, `change-` and `close-` before a way do that first.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *program;
static char *arguments[] = { "child", NULL };

static int status_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		err(2, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* In the child of a fork or vfork, or in this very process. */
static void become(const char *way)
{
	if (!strcmp(way, "execve"))
		execve(program, arguments, environ);
	else if (!strcmp(way, "execv"))
		execv(program, arguments);
	else if (!strcmp(way, "execvp"))
		execvp(strrchr(program, '/') + 1, arguments);
	else if (!strcmp(way, "execvpe"))
		execvpe(strrchr(program, '/') + 1, arguments, environ);
	else if (!strcmp(way, "execl"))
		execl(program, "child", "one", "two", (char *)NULL);
	else if (!strcmp(way, "execlp"))
		execlp(strrchr(program, '/') + 1, "child", (char *)NULL);
	else if (!strcmp(way, "execle"))
		execle(program, "child", "one", (char *)NULL, environ);
	else if (!strcmp(way, "fexecve"))
		fexecve(open(program, O_RDONLY | O_CLOEXEC), arguments, environ);
#ifdef __GLIBC__
	else if (!strcmp(way, "execveat"))
		execveat(AT_FDCWD, program, arguments, environ, 0);
	else if (!strcmp(way, "execveat-empty"))
		execveat(open(program, O_RDONLY | O_CLOEXEC), "", arguments, environ,
			 AT_EMPTY_PATH);
#endif
}

static int spawn(const char *way)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, 1, 7);
#ifdef __GLIBC__
	if (!strcmp(way, "closefrom"))
		posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
	if (!strcmp(way, "path"))
		error = posix_spawnp(&pid, strrchr(program, '/') + 1, NULL, NULL, arguments, environ);
	else
		error = posix_spawn(&pid, program, *way ? &actions : NULL, NULL, arguments, environ);
	if (error)
		errx(2, "posix_spawn: %d", error);
	return status_of(pid);
}

static int read_pipe(void)
{
	FILE *pipe = popen(program, "r");
	char line[4096];

	if (!pipe)
		err(2, "popen");
	while (fgets(line, sizeof(line), pipe))
		fputs(line, stdout);
	return WEXITSTATUS(pclose(pipe));
}

/* The same variable twice; getenv finds the first. */
static void repeat_secret(void)
{
	static char *twice[4096];
	int count = 0;

	for (; environ[count]; count++)
		twice[count] = environ[count];
	twice[count] = getenv("DB_PASSWORD") - strlen("DB_PASSWORD=");
	environ = twice;
}

/* Pages of this process's address space; proc_pid_statm(5). */
static long own_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!file || fscanf(file, "%ld", &pages) != 1)
		err(2, "statm");
	fclose(file);
	return pages;
}

static void start_by_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		execve(program, arguments, environ);
		_exit(2);
	}
	status_of(pid);
}

/* The memory of a vforked child is its parent's: nothing may be left in it. */
static int start_many(void)
{
	long before = 0;

	for (int index = 0; index < 60; index++) {
		start_by_vfork();
		if (index == 9)
			before = own_pages();
	}
	return own_pages() == before ? 7 : 1;
}

static void *nothing(void *unused)
{
	return unused;
}

static void with_threads(void)
{
	pthread_t threads[4];

	for (int index = 0; index < 4; index++)
		pthread_create(threads + index, NULL, nothing, NULL);
	for (int index = 0; index < 4; index++)
		pthread_join(threads[index], NULL);
}

static const char *prepared(const char *way)
{
	if (!strncmp(way, "unset-", 6))
		unsetenv("DB_PASSWORD");
	else if (!strncmp(way, "change-", 7))
		setenv("DB_PASSWORD", "changed", 1);
	else if (!strncmp(way, "clear-", 6))
		clearenv();
	else if (!strncmp(way, "scrub-", 6))
		memset(getenv("DB_PASSWORD"), 'x', strlen(getenv("DB_PASSWORD")));
	else if (!strncmp(way, "twice-", 6))
		repeat_secret();
	else if (!strncmp(way, "close-", 6))
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
	else if (!strncmp(way, "threads-", 8))
		with_threads();
	else
		return way;
	return strchr(way, '-') + 1;
}

int main(int count, char **words)
{
	const char *way;
	pid_t pid;

	if (count != 3)
		errx(2, "usage: starts-child WAY PROGRAM");
	program = words[2];
	way = prepared(words[1]);
	if (!strcmp(way, "many"))
		return start_many();
	if (!strcmp(way, "system"))
		return WEXITSTATUS(system(program));
	if (!strcmp(way, "popen"))
		return read_pipe();
	if (!strcmp(way, "posix_spawn"))
		return spawn("");
	if (!strcmp(way, "posix_spawn, actions"))
		return spawn("actions");
	if (!strcmp(way, "posix_spawn, closefrom"))
		return spawn("closefrom");
	if (!strcmp(way, "posix_spawnp"))
		return spawn("path");
	if (!strncmp(way, "become-", 7)) {
		become(way + 7);
		err(2, "%s", way);
	}
	if (!strncmp(way, "again-", 6)) {
		pid = vfork();
		if (!pid) {
			execl("/nonexistent", "child", (char *)NULL);
			become(way + 6);
			_exit(2);
		}
		return status_of(pid);
	}
	if (!strncmp(way, "vfork-", 6)) {
		pid = vfork();
		if (!pid) {
			become(way + 6);
			_exit(2);
		}
		return status_of(pid);
	}
	pid = fork();
	if (!pid) {
		become(way);
		_exit(2);
	}
	return status_of(pid);
}
