// SPDX-License-Identifier: Apache-2.0
/* reads-secret-fd: maps SVC_SECRET_FD and prints the entries, each ended by NUL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
	const char *number = getenv("SVC_SECRET_FD");
	struct stat info;
	const char *region;
	int fd;

	if (!number)
		return 3;
	fd = atoi(number);
	if (fstat(fd, &info))
		return 4;
	region = mmap(NULL, info.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (region == MAP_FAILED)
		return 5;
	for (const char *entry = region; entry < region + info.st_size && *entry;) {
		size_t length = strnlen(entry, region + info.st_size - entry) + 1;

		fwrite(entry, 1, length, stdout);
		entry += length;
	}
	return 0;
}
