#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Says which value it has at its start, after each SIGHUP, and that SIGTERM has come.
 *   -n NAME   the variable; by default DB_PASSWORD
 *   -x CODE   ends with this code right after its start
 *   -o FILE   ends with code 7 at its start unless the file exists
 *   -i        ignores SIGTERM
 */
static volatile sig_atomic_t hung_up, terminated;

static void on_signal(int signal) {
	if (signal == SIGHUP)
		hung_up = 1;
	else
		terminated = 1;
}

static void say(const char *word, const char *name) {
	const char *value = name == NULL ? NULL : getenv(name);
	printf("%s %s\n", word, value == NULL ? "-" : value);
	fflush(stdout);
}

int main(int argc, char **argv) {
	const char *name = "DB_PASSWORD", *file = NULL;
	int code = -1, ignores = 0, option;
	while ((option = getopt(argc, argv, "n:x:o:i")) != -1) {
		if (option == 'n')
			name = optarg;
		if (option == 'x')
			code = atoi(optarg);
		if (option == 'o')
			file = optarg;
		if (option == 'i')
			ignores = 1;
	}
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t handled, before;
	sigemptyset(&handled);
	sigaddset(&handled, SIGHUP);
	sigaddset(&handled, SIGTERM);
	sigprocmask(SIG_BLOCK, &handled, &before);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	say("start", name);
	if (code >= 0)
		return code;
	if (file != NULL && access(file, F_OK) != 0)
		return 7;
	for (;;) {
		sigsuspend(&before);
		if (hung_up) {
			hung_up = 0;
			say("hangup", name);
		}
		if (terminated && !ignores) {
			say("term", NULL);
			return 0;
		}
	}
}
