// SPDX-License-Identifier: Apache-2.0
/* prints-argv ARGUMENT...: prints its arguments, each ended by NUL. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	for (int index = 1; index < argc; index++)
		fwrite(argv[index], 1, strlen(argv[index]) + 1, stdout);
	return 0;
}
