/* A library that reads DB_PASSWORD before the program's main, as some loggers and tracers do. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void start(void)
{
	const char *value = getenv("DB_PASSWORD");

	printf("constructor %s\n", value ? value : "(none)");
	fflush(stdout);
}
