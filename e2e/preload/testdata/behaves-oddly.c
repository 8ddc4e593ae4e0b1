/*
 * behaves-oddly WAY PROGRAM: does things that work without the interposer, and that an interposer
 * easily breaks. Ends as the child did, or with 7 if all is as it must be.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define SEARCHED_DESCRIPTORS 400
#define CHILDREN 40

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

static int become(void)
{
	execve(program, arguments, environ);
	err(2, "execve");
}

static int with_effective_user(void)
{
	if (seteuid(NOBODY))
		err(2, "seteuid");
	return become();
}

static int with_effective_group(void)
{
	if (setegid(NOBODY))
		err(2, "setegid");
	return become();
}

static int spawn_with(posix_spawn_file_actions_t *actions, char *const envp[])
{
	pid_t pid;
	int error = posix_spawn(&pid, program, actions, NULL, arguments, envp);

	if (error)
		errx(2, "posix_spawn: %s", strerror(error));
	return status_of(pid);
}

static int closing_each(void)
{
	posix_spawn_file_actions_t actions;

	posix_spawn_file_actions_init(&actions);
	for (int fd = 3; fd < SEARCHED_DESCRIPTORS; fd++)
		posix_spawn_file_actions_addclose(&actions, fd);
	return spawn_with(&actions, environ);
}

static int covering_each(void)
{
	posix_spawn_file_actions_t actions;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 9, "/dev/null", O_RDONLY, 0);
	for (int fd = 90; fd < 110; fd++)
		posix_spawn_file_actions_adddup2(&actions, 9, fd);
	posix_spawn_file_actions_addclose(&actions, 9);
	return spawn_with(&actions, environ);
}

/* Needs a pipe in the place of the program: to open it would be to wait for a writer. */
static int executing_pipe(void)
{
	alarm(5);
	execv(program, arguments);
	return 7;
}

/* As some do, though they should call pclose. */
static int closing_stream(void)
{
	int (*volatile end)(FILE *) = fclose;

	end(popen("exit 3", "r"));
	return WEXITSTATUS(pclose(popen("exit 7", "r")));
}

static int opening_many(void)
{
	FILE *streams[300];

	for (int index = 0; index < 300; index++) {
		streams[index] = popen("exit 7", "r");
		if (!streams[index])
			err(2, "popen %d", index);
	}
	for (int index = 0; index < 300; index++)
		if (WEXITSTATUS(pclose(streams[index])) != 7)
			return 1;
	return 7;
}

static void *run_command(void *started)
{
	(void)started;
	system("echo >&9; read line <&8");
	return NULL;
}

/* A thread is cancelled while its command runs: signals are as before, once that has ended. */
static int cancelling_system(void)
{
	struct sigaction action;
	pthread_t thread;
	int begun[2], end[2];
	char byte;

	if (pipe(begun) || pipe(end) || dup2(begun[1], 9) < 0 || dup2(end[0], 8) < 0)
		err(2, "pipe");
	pthread_create(&thread, NULL, run_command, NULL);
	if (read(begun[0], &byte, 1) != 1)
		err(2, "read");
	pthread_cancel(thread);
	if (write(end[1], "\n", 1) != 1)
		err(2, "write");
	pthread_join(thread, NULL);
	sigaction(SIGINT, NULL, &action);
	return action.sa_handler == SIG_DFL ? 7 : 1;
}

/* The program hands on the rest of the variable, and the others are still hidden. */
static int overwriting(void)
{
	char *value = getenv("DB_PASSWORD");

	memset(value, 0, strlen(value));
	return become();
}

static int overwriting_whole(void)
{
	char *entry = getenv("DB_PASSWORD") - strlen("DB_PASSWORD=");

	memset(entry, 0, strlen(entry));
	return become();
}

/* Counts in each child the descriptors that it was not meant to have. */
static void *spawn_bare(void *leaks)
{
	char *own[] = { "sh", "-c", "ls -l /proc/self/fd | grep -c secretmem; exit 0", NULL };
	char *const nothing[] = { NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], *found = leaks;
	char answer[2];
	pid_t pid;

	for (int index = 0; index < CHILDREN; index++) {
		if (pipe2(ends, O_CLOEXEC))
			err(2, "pipe2");
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
		posix_spawn(&pid, "/bin/sh", &actions, NULL, own, nothing);
		if (read(ends[0], answer, 2) != 2 || answer[0] != '0')
			++*found;
		status_of(pid);
		close(ends[0]);
		close(ends[1]);
		posix_spawn_file_actions_destroy(&actions);
	}
	return NULL;
}

static void *spawn_full(void *stop)
{
	char *own[] = { "true", NULL };
	volatile int *stopped = stop;
	pid_t pid;

	while (!*stopped)
		if (!posix_spawn(&pid, "/bin/true", NULL, NULL, own, environ))
			status_of(pid);
	return NULL;
}

static int spawning_by_threads(void)
{
	pthread_t bare, full;
	int leaks = 0, stop = 0;

	pthread_create(&full, NULL, spawn_full, &stop);
	pthread_create(&bare, NULL, spawn_bare, &leaks);
	pthread_join(bare, NULL);
	*(volatile int *)&stop = 1;
	pthread_join(full, NULL);
	return leaks ? 1 : 7;
}

static const struct {
	const char *name;
	int (*go)(void);
} ways[] = {
	{ "effective-user", with_effective_user },
	{ "effective-group", with_effective_group },
	{ "closing-each", closing_each },
	{ "covering-each", covering_each },
	{ "executing-pipe", executing_pipe },
	{ "closing-stream", closing_stream },
	{ "opening-many", opening_many },
	{ "cancelling-system", cancelling_system },
	{ "overwriting", overwriting },
	{ "overwriting-whole", overwriting_whole },
	{ "spawning-by-threads", spawning_by_threads },
};

int main(int count, char **words)
{
	if (count != 3)
		errx(2, "usage: behaves-oddly WAY PROGRAM");
	program = words[2];
	for (size_t index = 0; index < sizeof(ways) / sizeof(*ways); index++)
		if (!strcmp(ways[index].name, words[1]))
			return ways[index].go();
	errx(2, "no such way: %s", words[1]);
}
