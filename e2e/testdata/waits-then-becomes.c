// SPDX-License-Identifier: Apache-2.0
/*
 * waits-then-becomes IN OUT PROGRAM [ARGUMENT...]: takes two descriptors as its standard input and
 * output, waits for one byte, and becomes the program.
 */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char byte;

	if (argc < 4 || dup2(atoi(argv[1]), 0) < 0 || dup2(atoi(argv[2]), 1) < 0)
		return 2;
	if (read(0, &byte, 1) != 1)
		return 2;
	execv(argv[3], argv + 3);
	return 2;
}
