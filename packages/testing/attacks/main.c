/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `svc-attack NAME PID [COUNT [ADDRESS DESCRIPTOR]]` prints `ready`, and reaches for a process in one way when a line comes
 * on standard input or that ends. It prints `ok`, `leaked N bytes`, or the name of the errno, and on a line of its own the
 * seconds that it took. It exits with 0 where it went well, 1 where it was refused, 2 where there is no such way.
 * `svc-attack --victim` is a process to reach for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

static const struct attack *const families[] = {
	memory_attacks, file_attacks, ptrace_attacks,  call_attacks, descriptor_attacks,
	ring_attacks,	core_attacks, kernel_attacks, controls,
};

long canary_bytes(const char *bytes, size_t length)
{
	const char *found = memmem(bytes, length, CANARY, sizeof(CANARY) - 1);

	return found ? (long)sizeof(CANARY) - 1 : 0;
}

int open_of(pid_t pid, const char *name, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return open(path, flags | O_CLOEXEC);
}

int pidfd_of(pid_t pid)
{
	return syscall(SYS_pidfd_open, pid, 0);
}

long close_again(int fd)
{
	int error = errno;

	if (fd < 0)
		return -1;
	close(fd);
	errno = error;
	return 0;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static const struct attack *find(const char *name)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		for (const struct attack *attack = families[i]; attack->name; attack++)
			if (strcmp(attack->name, name) == 0)
				return attack;
	return NULL;
}

static int repeat(const struct attack *attack, const struct prey *prey, long count)
{
	double start = seconds();
	long result = 0;
	int error;

	for (long i = 0; i < count; i++)
		result = attack->run(prey);
	error = result < 0 ? errno : 0;
	if (result > 0)
		printf("leaked %ld bytes\n", result);
	else
		printf("%s\n", error ? strerrorname_np(error) : "ok");
	printf("%.9f\n", seconds() - start);
	return error ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct attack *attack;
	struct prey prey = { 0 };

	if (argc == 2 && strcmp(argv[1], "--victim") == 0)
		return be_victim(argv);
	attack = argc < 3 ? NULL : find(argv[1]);
	if (!attack) {
		fprintf(stderr, "usage: svc-attack NAME PID [COUNT [ADDRESS DESCRIPTOR]]\n");
		return 2;
	}
	prey.pid = atoi(argv[2]);
	prey.address = argc > 4 ? strtoul(argv[4], NULL, 0) : 0;
	prey.descriptor = argc > 5 ? atoi(argv[5]) : 0;
	if (attack->prepare)
		attack->prepare(&prey);
	printf("ready\n");
	fflush(stdout);
	getchar();
	return repeat(attack, &prey, argc > 3 ? atol(argv[3]) : 1);
}
