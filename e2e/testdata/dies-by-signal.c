// SPDX-License-Identifier: Apache-2.0
/* dies-by-signal N: sends itself signal N; ends with status 1 if it survives that. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	kill(getpid(), argc > 1 ? atoi(argv[1]) : SIGKILL);
	return 1;
}
