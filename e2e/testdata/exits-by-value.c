// SPDX-License-Identifier: Apache-2.0
/*
 * exits-by-value: exits with 10 plus the sum of the bytes of DB_PASSWORD modulo 100, and with 9
 * without that variable. It makes one system call, so that it can report wherever it runs.
 */
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	const char *value = getenv("DB_PASSWORD");
	unsigned int sum = 0;

	if (!value)
		_exit(9);
	while (*value)
		sum += (unsigned char)*value++;
	_exit(10 + sum % 100);
}
