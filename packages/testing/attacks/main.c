/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `svc-attack NAME PID [COUNT [ADDRESS DESCRIPTOR]]` prints `ready`, and reaches for a process in
 * one way when a line comes on standard input or that ends. It prints `ok`, `leaked N bytes`, or
 * the name of the errno, and on a separate line the seconds that it took. It exits with 0 if it
 * went well, 1 if it was refused, 2 if there is no such way. `svc-attack --each NAME …` has each
 * attempt made by a separate process, and says how often they ended how. `svc-attack --victim` is
 * a process to reach for. `svc-attack --read WAY FILE` reads a byte of a file: by
 * open_by_handle_at(2) (`handle`), or after io_uring(7) has opened it. Then it reads by a mapping
 * (`mapping`), by io_submit(2) (`request`), from a slot of the ring (`slot`), or by SPLICE from
 * there (`splice`).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

static const struct attack *const families[] = {
	memory_attacks,	    file_attacks,   ptrace_attacks,	compat_attacks,
	call_attacks,	    descriptor_attacks, ring_attacks,	quiet_ring_attacks,
	core_attacks,	    kernel_attacks, transfer_attacks,	program_attacks,
	perf_attacks,	    accomplice_attacks, child_attacks,	tamper_attacks,
	controls,
};

char *loot;
volatile int *is_over;

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

/* Processes that this one starts have the same. */
static void *share(size_t length)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static int repeat(const struct attack *attack, const struct prey *prey, long count)
{
	double start = seconds();
	long result = 0;
	int error;

	for (long i = 0; i < count; i++) {
		*is_over = 0;
		result = attack->run(prey);
	}
	error = result < 0 ? errno : 0;
	if (result > 0)
		printf("leaked %ld bytes\n", result);
	else
		printf("%s\n", error ? strerrorname_np(error) : "ok");
	printf("%.9f\n", seconds() - start);
	return error ? 1 : 0;
}

static void fill_in(struct prey *prey, char **words, int count)
{
	prey->pid = atoi(words[0]);
	prey->address = count > 2 ? strtoul(words[2], NULL, 0) : 0;
	prey->descriptor = count > 3 ? atoi(words[3]) : 0;
}

int main(int argc, char **argv)
{
	int is_each = argc > 1 && strcmp(argv[1], "--each") == 0;
	char **words = argv + 1 + is_each;
	int count = argc - 1 - is_each;
	const struct attack *attack;
	struct prey prey = { 0 };
	long times;

	loot = share(LOOT_BYTES);
	is_over = share(sizeof(*is_over));
	if (argc == 2 && strcmp(argv[1], "--victim") == 0)
		return be_victim(argv);
	if (argc == 3 && strcmp(argv[1], "--relative-mem") == 0)
		return read_relative_memory(argv[2]);
	if (argc == 4 && strcmp(argv[1], "--read") == 0)
		return read_in_way(argv[2], argv[3]);
	attack = count < 2 ? NULL : find(words[0]);
	if (!attack) {
		fprintf(stderr, "usage: svc-attack [--each] NAME PID [COUNT [ADDRESS DESCRIPTOR]]\n");
		return 2;
	}
	fill_in(&prey, words + 1, count - 1);
	times = count > 2 ? atol(words[2]) : 1;
	if (attack->prepare)
		attack->prepare(&prey);
	printf("ready\n");
	fflush(stdout);
	getchar();
	return is_each ? !campaign(attack, &prey, times) : repeat(attack, &prey, times);
}
