/*
 * Leaves COUNT orphans to its init process, RATE of them a second, writes a line, and waits until
 * it is killed: orphans COUNT RATE. Each orphan ends at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[1]) : 0;
	long rate = argc > 2 ? atol(argv[2]) : 0;
	struct timespec next;

	if (count <= 0 || rate <= 0)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0)
			return 1;
		if (child == 0) {
			/* The grandchild is the orphan. */
			fork();
			_exit(0);
		}
		waitpid(child, NULL, 0);
		next.tv_nsec += 1000000000L / rate;
		next.tv_sec += next.tv_nsec / 1000000000L;
		next.tv_nsec %= 1000000000L;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	puts("done");
	fflush(stdout);
	for (;;)
		pause();
}
