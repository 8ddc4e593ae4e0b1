// SPDX-License-Identifier: Apache-2.0
/* exits-on-signal N CODE: prints "ready" and waits for signal N; then ends with CODE. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int code;

static void on_signal(int signal)
{
	(void)signal;
	_exit(code);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	code = atoi(argv[2]);
	signal(atoi(argv[1]), on_signal);
	if (write(1, "ready\n", 6) != 6)
		return 2;
	for (;;)
		pause();
}
