// SPDX-License-Identifier: Apache-2.0
/*
 * Any program that calls getenv: says how long its variables are, and waits for the end of its
 * input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	const char *const names[] = { "DB_PASSWORD", "DB_URL" };

	for (int index = 0; index < 2; index++) {
		const char *value = getenv(names[index]);

		printf("  program: %s is %zu bytes long\n", names[index], value ? strlen(value) : 0);
	}
	fflush(stdout);
	getchar();
	return 7;
}
