// SPDX-License-Identifier: Apache-2.0
/*
 * forks-orphans N: leaves N orphans that end once they are orphans. When all are gone or two
 * seconds are over, it prints how many of them are still there, zombies or not.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void leave_orphan(volatile pid_t *orphan)
{
	pid_t parent = fork();

	if (parent == 0) {
		pid_t middle = getpid();
		pid_t child = fork();

		if (child != 0) {
			*orphan = child;
			_exit(0);
		}
		while (getppid() == middle)
			nap();
		_exit(0);
	}
	waitpid(parent, NULL, 0);
}

static int count_left(volatile pid_t *orphans, int count)
{
	int left = 0;

	for (int index = 0; index < count; index++)
		left += kill(orphans[index], 0) == 0;
	return left;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 5;
	volatile pid_t *orphans = mmap(NULL, count * sizeof(pid_t), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int index = 0; index < count; index++)
		leave_orphan(&orphans[index]);
	for (int tries = 0; tries < 2000 && count_left(orphans, count) > 0; tries++)
		nap();
	printf("%d left\n", count_left(orphans, count));
	return 0;
}
