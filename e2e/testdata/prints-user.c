/* Prints the effective user and DB_PASSWORD. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	const char *value = getenv("DB_PASSWORD");

	printf("%u %s\n", geteuid(), value ? value : "(none)");
	return 0;
}
