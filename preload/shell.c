/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system(3), popen(3), pclose(3). libc's own start the shell by a way that cannot be interposed, with
 * what environ points at; these do what POSIX says, by the posix_spawn of spawn.c. Without secrets
 * libc's own are called.
 */
#define _GNU_SOURCE
#include "interposer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL "/bin/sh"
#define MAX_STREAMS 256

extern char **environ;

static int wait_for(pid_t pid)
{
	int status;
	pid_t ended;

	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	return ended < 0 ? -1 : status;
}

static atomic_flag waiting = ATOMIC_FLAG_INIT;
static int waiters;
static struct sigaction before_interrupt, before_quit;

static void lock(void)
{
	while (atomic_flag_test_and_set_explicit(&waiting, memory_order_acquire))
		syscall(SYS_sched_yield);
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&waiting, memory_order_release);
}

/* The parent ignores what the keyboard sends to the command; of several threads the first and the last. */
static void ignore_keyboard(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	lock();
	if (!waiters++) {
		sigaction(SIGINT, &ignore, &before_interrupt);
		sigaction(SIGQUIT, &ignore, &before_quit);
	}
	unlock();
}

static void heed_keyboard(void)
{
	lock();
	if (!--waiters) {
		sigaction(SIGINT, &before_interrupt, NULL);
		sigaction(SIGQUIT, &before_quit, NULL);
	}
	unlock();
}

static void set_signals(posix_spawnattr_t *attributes, const sigset_t *mask)
{
	sigset_t defaults;

	sigemptyset(&defaults);
	if (before_interrupt.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGINT);
	if (before_quit.sa_handler != SIG_IGN)
		sigaddset(&defaults, SIGQUIT);
	posix_spawnattr_setsigmask(attributes, mask);
	posix_spawnattr_setsigdefault(attributes, &defaults);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static int run_and_wait(const char *command, const sigset_t *mask)
{
	char *const argv[] = { "sh", "-c", (char *)command, NULL };
	posix_spawnattr_t attributes;
	pid_t pid;
	int error;

	posix_spawnattr_init(&attributes);
	set_signals(&attributes, mask);
	error = posix_spawn(&pid, SHELL, NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	/* As if the shell had ended with 127; system(3). */
	return error ? 127 << 8 : wait_for(pid);
}

INTERPOSED int system(const char *command)
{
	sigset_t block, mask;
	int status;

	find_next_functions();
	if (next.system && (!secrets.start || !command))
		return next.system(command);
	ignore_keyboard();
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &mask);
	status = run_and_wait(command, &mask);
	heed_keyboard();
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return status;
}

/* The streams of popen and their children. */
static struct stream {
	FILE *file;
	pid_t pid;
} streams[MAX_STREAMS];

static struct stream *stream_of(FILE *file)
{
	for (int index = 0; index < MAX_STREAMS; index++)
		if (streams[index].file == file)
			return streams + index;
	return NULL;
}

static bool keep_stream(FILE *file, pid_t pid)
{
	struct stream *free;

	lock();
	free = stream_of(NULL);
	if (free)
		*free = (struct stream){ file, pid };
	unlock();
	return free;
}

/* POSIX: the streams of earlier calls are closed in the command. */
static void close_earlier(posix_spawn_file_actions_t *actions, int standard)
{
	lock();
	for (int index = 0; index < MAX_STREAMS; index++) {
		int fd = streams[index].file ? fileno(streams[index].file) : standard;

		if (fd != standard)
			posix_spawn_file_actions_addclose(actions, fd);
	}
	unlock();
}

/* One end becomes the command's standard input or output; the others are close-on-exec. */
static int spawn_with(const char *command, int end, int standard, pid_t *pid)
{
	char *const argv[] = { "sh", "-c", (char *)command, NULL };
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	close_earlier(&actions, standard);
	posix_spawn_file_actions_adddup2(&actions, end, standard);
	error = posix_spawn(pid, SHELL, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static FILE *open_stream(const char *command, bool reads, bool close_on_exec)
{
	int ends[2], error;
	FILE *file;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return NULL;
	file = fdopen(ends[reads ? 0 : 1], reads ? "r" : "w");
	if (!file) {
		syscall(SYS_close, ends[0]);
		syscall(SYS_close, ends[1]);
		return NULL;
	}
	error = spawn_with(command, ends[reads ? 1 : 0], reads ? 1 : 0, &pid);
	syscall(SYS_close, ends[reads ? 1 : 0]);
	if (error) {
		fclose(file);
		errno = error;
		return NULL;
	}
	if (!close_on_exec)
		fcntl(ends[reads ? 0 : 1], F_SETFD, 0);
	if (keep_stream(file, pid))
		return file;
	fclose(file);
	wait_for(pid);
	errno = EMFILE;
	return NULL;
}

INTERPOSED FILE *popen(const char *command, const char *mode)
{
	bool reads = mode && strchr(mode, 'r'), writes = mode && strchr(mode, 'w');

	find_next_functions();
	if (next.popen && (!secrets.start || reads == writes || !command))
		return next.popen(command, mode);
	return open_stream(command, reads, strchr(mode, 'e'));
}

INTERPOSED int pclose(FILE *file)
{
	struct stream *stream;
	pid_t pid = 0;

	find_next_functions();
	lock();
	stream = file ? stream_of(file) : NULL;
	if (stream) {
		pid = stream->pid;
		*stream = (struct stream){ 0 };
	}
	unlock();
	if (!stream)
		return next.pclose ? next.pclose(file) : -1;
	fclose(file);
	return wait_for(pid);
}
