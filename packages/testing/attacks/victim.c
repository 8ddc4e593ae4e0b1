/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process to reach for. It prints its pid, where it has the canary, and its descriptor of secret memory; then it does
 * what each letter on standard input says: t, a child becomes traced by this process (PTRACE_TRACEME).
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

/* Where the kernel has no secret memory: a file of ordinary memory. */
static int secret_file(void)
{
	int fd = syscall(SYS_memfd_secret, 0);
	char *page;

	if (fd < 0)
		fd = memfd_create("svc-secrets", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, PAGE_BYTES))
		return -1;
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -1;
	strcpy(page, CANARY);
	return fd;
}

static void have_traced_child(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 0);
	waitpid(child, NULL, 0);
	printf("%d\n", child);
	fflush(stdout);
}

int be_victim(char **argv)
{
	char *page = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
	int fd = secret_file();
	char letter;

	if (!getenv("SVC_ATTACK_CANARY")) {
		setenv("SVC_ATTACK_CANARY", CANARY, 1);
		execv("/proc/self/exe", argv);
	}
	if (!page || fd < 0)
		return 2;
	strcpy(page, CANARY);
	signal(SIGQUIT, SIG_IGN);
	printf("%d %p %d\n", getpid(), (void *)page, fd);
	fflush(stdout);
	while (read(0, &letter, 1) == 1)
		if (letter == 't')
			have_traced_child();
	return 0;
}
