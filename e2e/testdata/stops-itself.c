// SPDX-License-Identifier: Apache-2.0
/* stops-itself CODE: stops with SIGSTOP; continued, it prints "continued" and ends with CODE. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (write(1, "stopping\n", 9) != 9)
		return 2;
	raise(SIGSTOP);
	if (write(1, "continued\n", 10) != 10)
		return 2;
	return argc > 1 ? atoi(argv[1]) : 0;
}
