// SPDX-License-Identifier: Apache-2.0
/*
 * stands-still-at CALL PROGRAM [ARGUMENT...]: becomes PROGRAM, for which the system call of that
 * number never returns; SECCOMP_RET_USER_NOTIF of seccomp_unotify(2). A child holds the listener
 * and answers nothing. It ends with PROGRAM.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void hold_listener(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; fd <= 2; fd++)
		close(fd);
	while (getppid() == parent)
		sleep(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: stands-still-at CALL PROGRAM [ARGUMENT...]");
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)atoi(argv[1]), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = code };
	pid_t self = getpid();

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	int listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			       SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (listener < 0)
		err(2, "seccomp");
	if (fork() == 0)
		hold_listener(self);
	close(listener);
	execv(argv[2], argv + 2);
	err(2, "%s", argv[2]);
}
