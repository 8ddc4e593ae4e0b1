// SPDX-License-Identifier: Apache-2.0
/* prints-state: prints its state at the start (signals, limits, descriptors, …) as JSON. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Lines of /proc/self/status that execve(2) or fork(2) hand on. */
static const char *const handed_on[] = {
	"SigPnd:", "ShdPnd:", "SigBlk:", "SigIgn:", "SigCgt:", "NoNewPrivs:", "Seccomp:",
	"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:", "VmLck:", "Threads:",
};

static void print_status(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[4096];

	while (status && fgets(line, sizeof(line), status)) {
		for (size_t index = 0; index < sizeof(handed_on) / sizeof(*handed_on); index++) {
			size_t length = strlen(handed_on[index]);

			if (strncmp(line, handed_on[index], length))
				continue;
			line[strcspn(line, "\n")] = '\0';
			printf("\"%.*s\":\"%s\",", (int)length - 1, line,
			       line + length + strspn(line + length, "\t "));
		}
	}
	if (status)
		fclose(status);
}

static void print_limits(void)
{
	printf("\"limits\":[");
	for (int resource = 0; resource < 16; resource++) {
		struct rlimit limits;

		getrlimit(resource, &limits);
		printf("%s[\"%lu\",\"%lu\"]", resource ? "," : "", limits.rlim_cur, limits.rlim_max);
	}
	printf("],");
}

/* Descriptors above 2 with their files; of 0, 1 and 2 only whether they are there. */
static void print_descriptors(void)
{
	const char *separator = "";

	printf("\"descriptors\":{");
	for (int fd = 0; fd < 1024; fd++) {
		char link[64], target[4096] = "";

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (readlink(link, target, sizeof(target) - 1) < 0)
			continue;
		printf("%s\"%d\":\"%s\"", separator, fd, fd > 2 ? target : "open");
		separator = ",";
	}
	printf("},");
}

static void print_controls(void)
{
	int death_signal = -1, adopts = -1;

	prctl(PR_GET_PDEATHSIG, &death_signal);
	prctl(PR_GET_CHILD_SUBREAPER, &adopts);
	printf("\"parentDeathSignal\":%d,\"adoptsOrphans\":%d,\"dumpable\":%d,", death_signal, adopts,
	       prctl(PR_GET_DUMPABLE));
	printf("\"timerSlack\":%d,\"nice\":%d,", prctl(PR_GET_TIMERSLACK), getpriority(PRIO_PROCESS, 0));
}

int main(void)
{
	char folder[4096] = "";
	FILE *output = stdout;
	mode_t mask = umask(0);

	umask(mask);
	if (getenv("STATE_FILE"))
		output = freopen(getenv("STATE_FILE"), "we", stdout);
	if (!output || !getcwd(folder, sizeof(folder)))
		return 2;
	printf("{");
	print_status();
	print_limits();
	print_descriptors();
	print_controls();
	printf("\"umask\":\"%03o\",\"folder\":\"%s\",", mask, folder);
	printf("\"session\":%d,\"leadsGroup\":%s,", getsid(0), getpgrp() == getpid() ? "true" : "false");
	printf("\"foreground\":%s}\n", tcgetpgrp(0) == getpgrp() ? "true" : "false");
	return 0;
}
