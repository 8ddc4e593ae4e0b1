/*
 * Prints the surroundings of a program at its start, one fact a line. `env` is a variable as getenv
 * would find it, `block` the block that the kernel copied, and `fd` a descriptor above 2. `page` is
 * the page size of the auxiliary vector. With SHOW_WAIT set it then waits for a signal.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

extern char **environ;

static void show_block(void)
{
	static char block[1 << 20];
	int fd = open("/proc/self/environ", O_RDONLY);
	ssize_t length = 0, count;

	while ((count = read(fd, block + length, sizeof(block) - 1 - length)) > 0)
		length += count;
	close(fd);
	for (ssize_t at = 0; at < length; at += strlen(block + at) + 1)
		if (block[at])
			printf("block %s\n", block + at);
}

static void show_descriptors(void)
{
	for (int fd = 3; fd < 512; fd++) {
		char link[64], target[256];
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, target, sizeof(target) - 1);
		if (length < 0)
			continue;
		target[length] = 0;
		printf("fd %d %s\n", fd, target);
	}
}

int main(int argc, char **argv)
{
	for (char **slot = environ; *slot; slot++)
		printf("env %s\n", *slot);
	show_block();
	show_descriptors();
	printf("page %lu\n", getauxval(AT_PAGESZ));
	printf("argv %d %s\n", argc, argv[argc - 1]);
	fflush(stdout);
	if (getenv("SHOW_WAIT"))
		pause();
	return 7;
}
