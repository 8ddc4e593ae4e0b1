// SPDX-License-Identifier: Apache-2.0
/* leaves-daemon CODE: leaves a daemon in a new session behind and ends with CODE. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	pid_t middle = fork();

	if (middle == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		for (;;)
			pause();
	}
	waitpid(middle, NULL, 0);
	return argc > 1 ? atoi(argv[1]) : 0;
}
