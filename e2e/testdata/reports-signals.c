// SPDX-License-Identifier: Apache-2.0
/*
 * reports-signals: prints "ready", then the number of each signal that it receives, as it comes,
 * and in hexadecimal digits the value that came with it by sigqueue(3). The signals 32 and 33 are glibc's own.
 */
#include <signal.h>
#include <unistd.h>

static void report(int signal, siginfo_t *info, void *context)
{
	unsigned long value = (unsigned long)info->si_value.sival_ptr;
	char line[32] = { '0' + signal / 10, '0' + signal % 10 };
	size_t length = 2;

	(void)context;
	if (info->si_code == SI_QUEUE) {
		line[length++] = ' ';
		for (int shift = 60; shift >= 0; shift -= 4)
			line[length++] = "0123456789abcdef"[value >> shift & 15];
	}
	line[length++] = '\n';
	if (write(1, line, length) != (ssize_t)length)
		_exit(2);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = report, .sa_flags = SA_SIGINFO };

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
