/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system(3). libc's own starts the shell in a way that cannot be interposed, with the strings of
 * environ. This one follows POSIX, by the posix_spawn of spawn.c. Without secrets libc's is called.
 */
#define _GNU_SOURCE
#include "interposer.h"

static int waiters;
static struct sigaction before_interrupt, before_quit;

/*
 * The parent ignores the keyboard's signals for the command; of several threads the first and the
 * last.
 */
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
	posix_spawnattr_t attributes;
	pid_t pid;
	int error;

	posix_spawnattr_init(&attributes);
	set_signals(&attributes, mask);
	error = spawn_shell(command, NULL, &attributes, &pid);
	posix_spawnattr_destroy(&attributes);
	/* As if the shell had ended with 127; system(3). */
	return error ? 127 << 8 : wait_for(pid);
}

INTERPOSED int system(const char *command)
{
	sigset_t block, mask;
	int status;

	find_next_functions();
	if (next.system && !secrets.start)
		return next.system(command);
	/* Whether there is a shell; it would be given the values, too. */
	if (!command)
		return system("exit 0") == 0;
	ignore_keyboard();
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &mask);
	status = run_and_wait(command, &mask);
	heed_keyboard();
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return status;
}
