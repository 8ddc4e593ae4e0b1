// SPDX-License-Identifier: Apache-2.0
/*
 * tells [-w]: writes its environment, each entry ended by NUL; with -w it waits then for the end of
 * standard input. Exits with 7.
 */
#include <string.h>
#include <unistd.h>

extern char **environ;

static void tell(const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t written = write(1, bytes, length);

		if (written < 0)
			_exit(1);
		bytes += written;
		length -= (size_t)written;
	}
}

int main(int argc, char **argv)
{
	char byte;

	for (char **entry = environ; *entry; entry++)
		tell(*entry, strlen(*entry) + 1);
	if (argc > 1 && !strcmp(argv[1], "-w")) {
		while (read(0, &byte, 1) > 0)
			;
	}
	return 7;
}
