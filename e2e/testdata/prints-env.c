// SPDX-License-Identifier: Apache-2.0
/* prints-env: prints its environment, each entry ended by NUL, in the order that it has. */
#include <stdio.h>
#include <string.h>

extern char **environ;

int main(void)
{
	for (char **entry = environ; *entry; entry++)
		fwrite(*entry, 1, strlen(*entry) + 1, stdout);
	return 0;
}
