// SPDX-License-Identifier: Apache-2.0
/*
 * reports-signals: prints "ready", then the number of each signal that it receives, as it comes.
 * The signals 32 and 33 are glibc's own.
 */
#include <signal.h>
#include <unistd.h>

static void report(int signal)
{
	char line[3] = { '0' + signal / 10, '0' + signal % 10, '\n' };

	if (write(1, line, sizeof(line)) != sizeof(line))
		_exit(2);
}

int main(void)
{
	struct sigaction action = { .sa_handler = report };

	/* One report at a time: lines stay whole, and each pending signal has its own. */
	sigfillset(&action.sa_mask);
	for (int signal = 1; signal <= 64; signal++)
		if (signal != SIGKILL && signal != SIGSTOP && signal != 32 && signal != 33)
			sigaction(signal, &action, NULL);
	if (write(1, "ready\n", 6) != 6)
		return 2;
	for (;;)
		pause();
}
