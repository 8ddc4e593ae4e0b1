/*
 * Sends SIGUSR1 to its parent, which forwards it, and takes the time until it comes back: signalled
 * COUNT. It writes one line for each signal, in nanoseconds, then "done", and waits until it is
 * killed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

int main(int argc, char **argv)
{
	const struct timespec patience = { .tv_sec = 30 };
	const struct timespec between = { .tv_nsec = 2000000 };
	long count = argc > 1 ? atol(argv[1]) : 0;
	sigset_t set;

	if (count <= 0)
		return 2;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (long i = 0; i < count; i++) {
		long begin = nanoseconds();

		if (kill(getppid(), SIGUSR1) != 0 || sigtimedwait(&set, NULL, &patience) < 0)
			return 1;
		printf("%ld\n", nanoseconds() - begin);
		nanosleep(&between, NULL);
	}
	puts("done");
	fflush(stdout);
	for (;;)
		pause();
}
