// SPDX-License-Identifier: Apache-2.0
/*
 * prints-loading [ARGUMENT...]: says how it was loaded, one fact on each line.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define ENVIRONMENT_ENTRY 0x737663

extern char **environ;

static void print_entries(const char *name, char **entries)
{
	for (; entries && *entries; entries++)
		printf("%s %s\n", name, *entries);
}

static void print_files(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], last[4096] = "";

	while (maps && fgets(line, sizeof(line), maps)) {
		char *path = strchr(line, '/');

		if (path && strcmp(path, last))
			printf("file %s", strcpy(last, path));
	}
}

int main(int argc, char **argv)
{
	volatile double angle = argc;
	/* Volatile: what malloc left in it is asked on purpose. */
	unsigned char *volatile fresh = malloc(100);

	print_entries("argument", argv);
	print_entries("libc", environ);
	print_entries("kernel", (char **)getauxval(ENVIRONMENT_ENTRY));
	/* The loader's stack begins at argc. */
	printf("alignment %d\n", (int)((uintptr_t)(argv - 1) % 16));
	printf("page %lu\n", getauxval(AT_PAGESZ));
	printf("fresh %02x\n", fresh[50]);
	printf("cosine %.3f\n", cos(angle));
	print_files();
	return 7;
}
