// SPDX-License-Identifier: Apache-2.0
/*
 * Stands in for a program that uses the Go library: maps the secret region, closes the descriptor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	const char *number = getenv("SVC_SECRET_FD");
	struct stat info;
	const char *region;

	if (!number || fstat(atoi(number), &info))
		return 1;
	region = mmap(NULL, info.st_size, PROT_READ, MAP_SHARED, atoi(number), 0);
	if (region == MAP_FAILED)
		return 1;
	close(atoi(number));
	for (const char *entry = region; *entry; entry += strlen(entry) + 1)
		printf("  program: %.*s is %zu bytes long\n", (int)strcspn(entry, "="), entry,
		       strlen(strchr(entry, '=') + 1));
	fflush(stdout);
	getchar();
	return 7;
}
