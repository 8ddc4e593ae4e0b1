/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that combinations reach for. It prints its pid, the address of the canary, its
 * descriptor of secret memory, and the number of a second thread. A line on standard input has it
 * start a child, whose pid it prints. By a connection it obeys letters. s: both threads run for a
 * moment with the canary on the stack. f: starts many processes. d: sends the descriptor.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "combination.h"

#define SPIN_SECONDS 0.015
#define BIRTHS_SECONDS 0.6

static int bell[2];

__attribute__((noinline)) void touch_canary(const char *canary)
{
	__asm__ volatile("" : : "r"(canary) : "memory");
}

static void spin(void)
{
	char on_stack[] = CANARY;
	double end = now() + SPIN_SECONDS;

	while (now() < end)
		for (int i = 0; i < 1000; i++)
			touch_canary(on_stack);
}

static void *wait_and_spin(void *number)
{
	char byte;

	*(volatile pid_t *)number = gettid();
	while (read(bell[0], &byte, 1) == 1)
		spin();
	return NULL;
}

static void give_birth(void)
{
	double end = now() + BIRTHS_SECONDS;

	while (now() < end) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static int secret_region(void)
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

static void send_descriptor(int connection, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec bytes = { "d", 1 };
	struct msghdr message = {
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	sendmsg(connection, &message, MSG_NOSIGNAL);
}

static void obey(int listener, int region)
{
	int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	char letter = 0;

	if (recv(connection, &letter, 1, 0) == 1 && letter == 's') {
		if (write(bell[1], "", 1) == 1)
			spin();
	}
	if (letter == 'd')
		send_descriptor(connection, region);
	else
		send(connection, &letter, 1, MSG_NOSIGNAL);
	close(connection);
	/* The attacker must be at work by then, so it is answered first. */
	if (letter == 'f')
		give_birth();
}

static int listen_for_letters(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "svc-combination-%d",
			      getpid());

	if (bind(fd, (void *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + length) ||
	    listen(fd, 64))
		return -1;
	return fd;
}

static void have_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	printf("%d\n", child);
	fflush(stdout);
}

static void serve(int region)
{
	struct pollfd inputs[] = { { .fd = 0, .events = POLLIN }, { .events = POLLIN } };
	char letter;

	inputs[1].fd = listen_for_letters();
	while (poll(inputs, 2, -1) > 0 || errno == EINTR) {
		if (inputs[1].revents & POLLIN)
			obey(inputs[1].fd, region);
		if (!inputs[0].revents)
			continue;
		if (read(0, &letter, 1) != 1)
			break;
		have_child();
	}
}

int be_quarry(char **argv)
{
	volatile pid_t number = 0;
	cpu_set_t first;
	pthread_t thread;
	char *page;
	int region;

	if (!getenv("SVC_COMBINATION")) {
		setenv("SVC_COMBINATION", CANARY, 1);
		execv("/proc/self/exe", argv);
	}
	/* Those that sample a processor sample this one. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | LOW_MEMORY,
		    -1, 0);
	region = secret_region();
	if (page == MAP_FAILED || region < 0 || pipe2(bell, O_CLOEXEC))
		return 2;
	strcpy(page, CANARY);
	if (pthread_create(&thread, NULL, wait_and_spin, (void *)&number))
		return 2;
	while (!number)
		sched_yield();
	printf("%d %p %d %d\n", getpid(), (void *)page, region, number);
	fflush(stdout);
	serve(region);
	return 0;
}
