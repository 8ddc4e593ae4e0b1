// SPDX-License-Identifier: Apache-2.0
/* prints-password: prints DB_PASSWORD and a line feed. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	const char *password = getenv("DB_PASSWORD");

	return password && puts(password) > 0 ? 0 : 1;
}
