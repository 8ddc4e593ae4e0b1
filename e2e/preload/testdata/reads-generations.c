/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reads-generations [THREADS [WAY...]]: threads call getenv without a pause. LETTERS and OTHER hold
 * one letter, many times: A in generation 0, B in generation 1. A line on standard input says:
 *
 *   next    the next generation is there: answers once every thread has read since, with its letter
 *   child   answers with the letter that a shell finds in its LETTERS
 *   copy    the same, if it has a copy from the start of this program; and its /proc/PID/environ
 *   fork    answers with the letter that a forked child finds
 *   worker  answers with the letter that a child finds which was forked at the start
 *   vfork   answers, and stays in vfork for a second
 *   unset   removes OTHER, while the threads pause
 *   end     ends, as does the end of standard input
 *   skip    the next generation is there: answers at once
 *   count   answers with the number of reads
 *
 * Ways: `handler` calls getenv in a signal handler as well. `moved` has its environment moved by
 * setenv. `storm` starts threads that end at once, and `blocked` has threads that wait in the
 * kernel. `spawns` has threads that start programs, and `worker` forks a child. `traced` has itself
 * traced by a child. At the end it prints the numbers of torn values (not one letter), of late ones
 * (an earlier letter), and of all reads.
 */
#define _GNU_SOURCE
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LETTERS 26
#define MAX_THREADS 256
#define HANDLER_PERIOD_US 200
#define VFORK_US 1000000

static atomic_long torn, late, missing, reads, handled, published;
static atomic_long rounds[MAX_THREADS];
static atomic_bool done, unset, paused;
static int questions[2], answers[2];
static char *copy;

static void look_at(const char *name)
{
	long least = atomic_load(&published);
	const char *value = getenv(name);
	size_t length = value ? strlen(value) : 0;

	if (!length) {
		atomic_fetch_add(&missing, 1);
		return;
	}
	if (memcmp(value, value + 1, length - 1))
		atomic_fetch_add(&torn, 1);
	/* The publisher waits for all readers, so it is this one or the next. */
	else if ((value[0] - 'A' - least % LETTERS + LETTERS) % LETTERS > 1)
		atomic_fetch_add(&late, 1);
	atomic_fetch_add(&reads, 1);
}

static void *read_on(void *count)
{
	while (!atomic_load(&done)) {
		if (!atomic_load(&paused)) {
			look_at("LETTERS");
			if (!atomic_load(&unset))
				look_at("OTHER");
		}
		atomic_fetch_add((atomic_long *)count, 1);
	}
	return NULL;
}

static void on_timer(int number)
{
	(void)number;
	look_at("LETTERS");
	atomic_fetch_add(&handled, 1);
}

static void start_timer(void)
{
	struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
	struct itimerval period = { { 0, HANDLER_PERIOD_US }, { 0, HANDLER_PERIOD_US } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &period, NULL);
}

static void *read_once(void *unused)
{
	look_at("LETTERS");
	return unused;
}

static void *storm(void *unused)
{
	pthread_t thread;

	while (!atomic_load(&done))
		if (!pthread_create(&thread, NULL, read_once, NULL))
			pthread_join(thread, NULL);
	return unused;
}

static void *spawn(void *unused)
{
	char *argv[] = { "true", NULL };
	pid_t pid;

	while (!atomic_load(&done))
		if (!posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
			waitpid(pid, NULL, 0);
	return unused;
}

static void *block(void *unused)
{
	static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&never);
	pthread_mutex_lock(&never);
	return unused;
}

/* It ends with its parent, whose end of the pipe is closed then. */
static void fork_worker(void)
{
	char byte;

	if (pipe(questions) || pipe(answers))
		err(2, "pipe");
	if (fork())
		return;
	close(questions[1]);
	while (read(questions[0], &byte, 1) == 1) {
		const char *value = getenv("LETTERS");

		if (write(answers[1], value ? value : "-", 1) != 1)
			break;
	}
	_exit(0);
}

/* Until this process ends. */
static void have_it_traced(void)
{
	pid_t parent = getpid();
	char byte;

	if (pipe(answers))
		err(2, "pipe");
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (ptrace(PTRACE_SEIZE, parent, 0, 0) || write(answers[1], "t", 1) != 1)
			err(2, "seize");
		for (;;)
			pause();
	}
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (read(answers[0], &byte, 1) != 1)
		err(2, "read");
}

static void start(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, argument))
		errx(2, "pthread_create");
	pthread_detach(thread);
}

static void take_way(const char *way)
{
	if (!strcmp(way, "handler"))
		start_timer();
	else if (!strcmp(way, "moved"))
		setenv("MOVED", "1", 1), setenv("MOVED_AGAIN", "1", 1);
	else if (!strcmp(way, "storm"))
		start(storm, NULL);
	else if (!strcmp(way, "blocked"))
		start(block, NULL), start(block, NULL);
	else if (!strcmp(way, "spawns"))
		start(spawn, NULL), start(spawn, NULL);
	else if (!strcmp(way, "worker"))
		fork_worker();
	else if (!strcmp(way, "traced"))
		have_it_traced();
	else
		errx(2, "no such way: %s", way);
}

static void wait_for_readers(int threads)
{
	long before[MAX_THREADS];

	for (int index = 0; index < threads; index++)
		before[index] = atomic_load(rounds + index);
	for (int index = 0; index < threads; index++)
		while (atomic_load(rounds + index) < before[index] + 2)
			sched_yield();
}

static void answer(const char *value)
{
	printf("%c\n", value && *value ? *value : '-');
	fflush(stdout);
}

static void fork_child(void)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(getenv("LETTERS") ? *getenv("LETTERS") : '-');
	while (waitpid(pid, &status, 0) < 0)
		;
	answer((char[]){ WEXITSTATUS(status), 0 });
}

static void start_with_copy(void)
{
	char *argv[] = { "sh", "-c",
			 "echo \"$LETTERS\" | cut -c1; tr '\\0' '\\n' < /proc/$$/environ | grep ^LETTERS",
			 NULL };
	char *envp[] = { "PATH=/usr/bin:/bin", copy, NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, envp))
		errx(2, "posix_spawn");
	waitpid(pid, NULL, 0);
}

static void ask_worker(void)
{
	char letter[2] = "";

	if (write(questions[1], "?", 1) != 1 || read(answers[0], letter, 1) != 1)
		err(2, "worker");
	answer(letter);
}

static void stay_in_vfork(void)
{
	pid_t pid;

	answer(NULL);
	pid = vfork();
	if (!pid) {
		usleep(VFORK_US);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void obey(const char *line, int threads)
{
	if (!strcmp(line, "next\n")) {
		atomic_fetch_add(&published, 1);
		wait_for_readers(threads);
		answer(getenv("LETTERS"));
	} else if (!strcmp(line, "child\n")) {
		if (system("echo \"$LETTERS\" | cut -c1"))
			errx(2, "system");
	} else if (!strcmp(line, "copy\n")) {
		start_with_copy();
	} else if (!strcmp(line, "fork\n")) {
		fork_child();
	} else if (!strcmp(line, "worker\n")) {
		ask_worker();
	} else if (!strcmp(line, "vfork\n")) {
		stay_in_vfork();
	} else if (!strcmp(line, "unset\n")) {
		/*
		 * unsetenv moves the entries behind OTHER: no thread may call getenv meanwhile
		 * (unsetenv(3)).
		 */
		atomic_store(&unset, true);
		atomic_store(&paused, true);
		wait_for_readers(threads);
		unsetenv("OTHER");
		atomic_store(&paused, false);
		answer(getenv("OTHER"));
	} else if (!strcmp(line, "count\n")) {
		printf("%ld\n", reads);
		fflush(stdout);
	} else {
		atomic_fetch_add(&published, 1);
		answer(NULL);
	}
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	char line[16];

	if (asprintf(&copy, "LETTERS=%s", getenv("LETTERS")) < 0)
		errx(2, "asprintf");
	for (int index = 2; index < argc; index++)
		take_way(argv[index]);
	for (int index = 0; index < threads && index < MAX_THREADS; index++)
		start(read_on, rounds + index);
	answer("A");
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n"))
		obey(line, threads);
	atomic_store(&done, true);
	printf("torn %ld late %ld missing %ld reads %ld handled %ld\n", torn, late, missing, reads,
	       handled);
	return torn || late || missing ? 1 : 7;
}
