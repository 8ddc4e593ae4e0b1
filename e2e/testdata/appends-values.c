#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* appends-values FILE VARIABLE VARIABLE
 *
 * Appends to FILE a line `NANOSECONDS PID WORD VALUE VALUE` at its start, after each SIGHUP and at
 * SIGTERM, which ends it; the time is CLOCK_MONOTONIC's. A variable that is not set is `-`.
 * Without arguments it prints the time and ends.
 */
static volatile sig_atomic_t hung_up, terminated;

static void on_signal(int signal)
{
	if (signal == SIGHUP)
		hung_up = 1;
	else
		terminated = 1;
}

static unsigned long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static const char *value_of(const char *name)
{
	const char *value = getenv(name);

	return value == NULL ? "-" : value;
}

/* One write: lines of two processes never mix. */
static void record(char **argv, const char *word)
{
	char line[1024];
	int fd = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	int length = snprintf(line, sizeof(line), "%llu %d %s %s %s\n", now(), getpid(), word,
			      value_of(argv[2]), value_of(argv[3]));

	if (fd < 0 || length >= (int)sizeof(line) || write(fd, line, length) != length)
		exit(3);
	close(fd);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t handled, before;

	if (argc != 4) {
		printf("%llu\n", now());
		return 0;
	}
	sigemptyset(&handled);
	sigaddset(&handled, SIGHUP);
	sigaddset(&handled, SIGTERM);
	sigprocmask(SIG_BLOCK, &handled, &before);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	record(argv, "start");
	for (;;) {
		sigsuspend(&before);
		if (hung_up) {
			hung_up = 0;
			record(argv, "hangup");
		}
		if (terminated) {
			record(argv, "term");
			return 0;
		}
	}
}
