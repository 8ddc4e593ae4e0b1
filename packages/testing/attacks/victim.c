/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process to reach for. It prints its pid, the address of the canary, and its descriptor of
 * secret memory. Then it obeys letters, on standard input or by a connection to
 * `@svc-attack-victim-PID`. t: a child becomes traced by this process (PTRACE_TRACEME); its pid is
 * the answer. d: sends the descriptor of its secret memory. p: starts a program with LD_PRELOAD;
 * the answer is an errno, 0 if it ran. a: the same with LD_AUDIT. c: starts a process that does
 * nothing; the answer is an errno, 0 if it ran.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

/* If the kernel has no secret memory: a file of ordinary memory. */
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

/* The child's errno, 0 if it ran; -1 if it was killed. */
static int start(char *setting)
{
	char *environment[] = { setting, NULL };
	char *words[] = { "true", NULL };
	int status;
	pid_t child = fork();

	if (child == 0) {
		/* The loader's opinion does not matter. */
		close(2);
		execve("/bin/true", words, environment);
		_exit(errno);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || WIFSIGNALED(status))
		return -1;
	return WEXITSTATUS(status);
}

/*
 * A library that every system has is another program's as well as any. It starts a program without
 * one first, as most do before an attacker comes. A killed victim answers nothing.
 */
static void start_with_library(int connection, const char *variable)
{
	char setting[64];
	unsigned char answer;
	int error;

	snprintf(setting, sizeof(setting), "%s=libdl.so.2", variable);
	start(NULL);
	error = start(setting);
	answer = error;
	if (error >= 0)
		send(connection, &answer, 1, MSG_NOSIGNAL);
}

static void start_nothing(int connection)
{
	/*
	 * Near the child's stack pointer. Between it and the environment there may be a page that
	 * no process has touched, since the kernel moves the stack's beginning by up to 8 KiB. A
	 * sample's copy ends at such a page.
	 */
	volatile char on_stack[] = CANARY;
	unsigned char answer = on_stack[sizeof(on_stack) - 1];
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	if (child < 0)
		answer = errno;
	else
		waitpid(child, NULL, 0);
	send(connection, &answer, 1, MSG_NOSIGNAL);
}

static int listen_for_letters(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "svc-attack-victim-%d",
			      getpid());

	if (bind(fd, (void *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + length) ||
	    listen(fd, 16))
		return -1;
	return fd;
}

static void serve(int listener, int secret)
{
	int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	char letter;

	if (read(connection, &letter, 1) == 1) {
		if (letter == 'd')
			send_descriptor(connection, secret);
		else if (letter == 'c')
			start_nothing(connection);
		else
			start_with_library(connection, letter == 'p' ? "LD_PRELOAD" : "LD_AUDIT");
	}
	close(connection);
}

int be_victim(char **argv)
{
	char *page = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
	/* As PostgreSQL's processes have for their common data. */
	char *common = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = secret_file();
	struct pollfd inputs[] = { { .fd = 0, .events = POLLIN }, { .events = POLLIN } };
	char letter;

	if (!getenv("SVC_ATTACK_CANARY")) {
		setenv("SVC_ATTACK_CANARY", CANARY, 1);
		execv("/proc/self/exe", argv);
	}
	if (!page || fd < 0 || common == MAP_FAILED)
		return 2;
	strcpy(page, CANARY);
	strcpy(common, CANARY);
	/* SIGQUIT ends it; its core dump is not wanted. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	inputs[1].fd = listen_for_letters();
	printf("%d %p %d\n", getpid(), (void *)page, fd);
	fflush(stdout);
	while (poll(inputs, 2, -1) > 0 || errno == EINTR) {
		if (inputs[1].revents & POLLIN)
			serve(inputs[1].fd, fd);
		if (!inputs[0].revents)
			continue;
		if (read(0, &letter, 1) != 1)
			break;
		if (letter == 't')
			have_traced_child();
	}
	return 0;
}
