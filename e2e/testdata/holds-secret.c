/* Has DB_PASSWORD and copies it nowhere: prints its length, and waits for SIGTERM. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	const char *value = getenv("DB_PASSWORD");

	printf("holds %zu\n", value ? strlen(value) : 0);
	fflush(stdout);
	for (;;)
		pause();
}
