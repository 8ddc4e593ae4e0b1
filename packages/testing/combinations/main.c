/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `combination GOAL ARGUMENTS TABLE WIDTH TARGET TIME PID ADDRESS DESCRIPTOR THREAD CHILD` prints
 * `ready`. It reaches for the process when a line comes on standard input. Each try is made by a
 * separate process, which may be killed. The answer is a line of JSON. It has the number of tries,
 * of killed openers and of finds of the canary. `looters` has the opener and the holder of the
 * descriptor for each try that found it. `afterDeath` counts the openers that were killed and left it
 * to the holder. `combination --victim` is the process to reach for.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "combination.h"

/* Two threads race: one try says little. */
#define RACES 24
#define BIRTHS_SECONDS 0.6

struct combination parts;
struct quarry quarry;
struct common *common;

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

long count_canaries(const char *bytes, size_t length)
{
	const char *end = bytes + length, *found = bytes;
	long count = 0;

	while ((found = memmem(found, end - found, CANARY, sizeof(CANARY) - 1))) {
		found++;
		count++;
	}
	return count;
}

int free_descriptor(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

void drop(int fd)
{
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
}

pid_t aim(void)
{
	const pid_t aims[] = { quarry.pid, quarry.thread, quarry.child, common->guess };

	return aims[parts.target];
}

static void print(const struct tally *tally)
{
	long known = tally->looters < LOOTERS_MAX ? tally->looters : LOOTERS_MAX;

	printf("{\"tries\":%ld,\"killed\":%ld,\"finds\":%ld,\"afterDeath\":%ld,\"error\":\"%s\",",
	       tally->tries, tally->killed, tally->finds, tally->after_death,
	       tally->error ? strerrorname_np(tally->error) : "");
	printf("\"looters\":[");
	for (long i = 0; i < known; i++)
		printf("%s[%d,%d]", i ? "," : "", tally->pids[i][0], tally->pids[i][1]);
	printf("]}\n");
	fflush(stdout);
}

/* The place of a word in a list, which ends with NULL; ends the program if it is not there. */
static int place_of(const char *word, const char *const *list)
{
	for (int i = 0; list[i]; i++)
		if (strcmp(word, list[i]) == 0)
			return i;
	fprintf(stderr, "combination: there is no %s\n", word);
	exit(2);
}

static const struct goal *goal_of(const char *name)
{
	const struct goal *const families[] = { file_goals, region_goals, task_goals, perf_goals,
						kernel_goals, program_goals };

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		for (const struct goal *goal = families[i]; goal->name; goal++)
			if (strcmp(goal->name, name) == 0)
				return goal;
	fprintf(stderr, "combination: there is no %s\n", name);
	exit(2);
}

static void read_words(char **words)
{
	static const char *const ways[] = { "warm", "cold", "dropped", "faulted", "rewritten", NULL };
	static const char *const tables[] = { "own", "thread", "sibling", "twin", NULL };
	static const char *const widths[] = { "64", "32", NULL };
	static const char *const targets[] = { "main", "other-thread", "child", "newborn", NULL };
	static const char *const times[] = { "after", "before", NULL };

	parts.goal = goal_of(words[0]);
	parts.arguments = place_of(words[1], ways);
	parts.table = place_of(words[2], tables);
	parts.is_narrow = place_of(words[3], widths);
	parts.target = place_of(words[4], targets);
	parts.is_before = place_of(words[5], times);
	quarry.pid = atoi(words[6]);
	quarry.address = strtoul(words[7], NULL, 0);
	quarry.descriptor = atoi(words[8]);
	quarry.thread = atoi(words[9]);
}

static long tries(void)
{
	long count = parts.goal->tries ? parts.goal->tries() : 1;

	return parts.arguments == REWRITTEN && count < RACES ? RACES : count;
}

int main(int argc, char **argv)
{
	struct tally tally = { 0 };
	char child[16];
	double end;
	long count;

	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | LOW_MEMORY, -1, 0);
	if (argc == 2 && strcmp(argv[1], "--victim") == 0)
		return be_quarry(argv);
	if (argc != 11) {
		fprintf(stderr, "usage: see combination.c\n");
		return 2;
	}
	read_words(argv + 1);
	if (parts.is_before)
		reach_before();
	printf("ready\n");
	fflush(stdout);
	if (!fgets(child, sizeof(child), stdin))
		return 2;
	quarry.child = atoi(child);
	if (parts.target == NEWBORN)
		have_quarry('f');
	end = now() + BIRTHS_SECONDS;
	count = tries();
	while (parts.target == NEWBORN ? now() < end && tally.finds == 0 : tally.tries < count)
		try_once(&tally);
	print(&tally);
	return 0;
}
