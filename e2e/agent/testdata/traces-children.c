/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces two children as debuggers try the kernel before they attach: one that asks for it
 * (PTRACE_TRACEME), and one by PTRACE_SEIZE. Ends with 0 if both work.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_stopped(pid_t child)
{
	int status;

	return waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status);
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static int traces_one_that_asks(void)
{
	pid_t child = fork();
	int is_traced;

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
			raise(SIGSTOP);
		_exit(1);
	}
	is_traced = is_stopped(child) && ptrace(PTRACE_CONT, child, NULL, NULL) == 0;
	end(child);
	return is_traced;
}

static int seizes_one(void)
{
	pid_t child = fork();
	int is_traced;

	if (child == 0) {
		raise(SIGSTOP);
		_exit(1);
	}
	is_traced = is_stopped(child) && ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0;
	end(child);
	return is_traced;
}

int main(void)
{
	return traces_one_that_asks() && seizes_one() ? 0 : 1;
}
