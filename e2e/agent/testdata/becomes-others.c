/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints its pid, then obeys each letter on standard input. f: a child executes this program. p:
 * starts a thread. t: that thread, or a new one, executes this program and takes the place of the
 * first one.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static char *self;
static sem_t wanted;

static void become(void)
{
	execl(self, self, NULL);
}

static void *thread(void *unused)
{
	sem_wait(&wanted);
	become();
	return unused;
}

static void print_pid(void)
{
	printf("%d\n", getpid());
	fflush(stdout);
}

static int start_thread(void)
{
	pthread_t other;

	return pthread_create(&other, NULL, thread, NULL) == 0;
}

int main(int argc, char **argv)
{
	int is_there = 0;
	char letter;

	(void)argc;
	self = argv[0];
	sem_init(&wanted, 0, 0);
	print_pid();
	while (read(0, &letter, 1) == 1) {
		if (letter == 'f' && fork() == 0)
			become();
		if (letter == 'p') {
			is_there = start_thread();
			print_pid();
		}
		if (letter == 't' && (is_there || start_thread())) {
			sem_post(&wanted);
			pause();
		}
	}
	return 0;
}
