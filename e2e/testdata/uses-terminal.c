// SPDX-License-Identifier: Apache-2.0
/*
 * uses-terminal: says whether it is in the foreground, then repeats lines from the terminal and
 * reports each SIGINT and SIGCONT, until a line says "end".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void on_signal(int signal)
{
	const char *text = signal == SIGINT ? "<interrupted>\n" : "<continued>\n";

	if (write(1, text, strlen(text)) < 0)
		_exit(2);
}

int main(void)
{
	char line[256];

	sigaction(SIGINT, &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART }, NULL);
	sigaction(SIGCONT, &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART }, NULL);
	dprintf(1, "<%s>\n", tcgetpgrp(0) == getpgrp() ? "foreground" : "background");
	for (;;) {
		ssize_t length = read(0, line, sizeof(line) - 1);

		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0)
			return 1;
		line[length] = '\0';
		line[strcspn(line, "\r\n")] = '\0';
		dprintf(1, "<read %s>\n", line);
		if (!strcmp(line, "end"))
			return 0;
	}
}
