/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The victim acts itself, because another process asks: it sends its descriptor, or starts a
 * program with a library of ours.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "attack.h"

static int received_before = -1;

int ask_victim(pid_t pid, char letter)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* An abstract name: its first byte is 0. */
	int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
			      "svc-attack-victim-%d", pid);

	if (connect(fd, (void *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + length) ||
	    write(fd, &letter, 1) != 1) {
		close_again(fd);
		return -1;
	}
	return fd;
}

/* A descriptor that was refused is left out, and the message says so. */
static int receive(const struct prey *prey)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec bytes = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int connection = ask_victim(prey->pid, 'd'), fd = -1;
	struct cmsghdr *head;

	if (connection < 0)
		return -1;
	if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) == 1) {
		head = CMSG_FIRSTHDR(&message);
		if (head && head->cmsg_type == SCM_RIGHTS)
			memcpy(&fd, CMSG_DATA(head), sizeof(fd));
		else
			errno = EPERM;
	}
	close_again(connection);
	return fd;
}

static long map(int fd)
{
	char *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	long leaked;

	if (page == MAP_FAILED)
		return -1;
	memcpy(loot, page, PAGE_BYTES);
	leaked = canary_bytes(loot, PAGE_BYTES);
	munmap(page, PAGE_BYTES);
	return leaked;
}

static long take_descriptor(const struct prey *prey)
{
	return close_again(receive(prey));
}

static long map_descriptor(const struct prey *prey)
{
	int fd = receive(prey);
	long leaked = fd < 0 ? -1 : map(fd);

	close_again(fd);
	return leaked;
}

static void receive_before(const struct prey *prey)
{
	received_before = receive(prey);
}

static long map_received_before(const struct prey *prey)
{
	(void)prey;
	return received_before < 0 ? -1 : map(received_before);
}

/* The child's answer is an errno; none if it was killed before it had one. */
static long have_child(const struct prey *prey, char letter)
{
	int connection = ask_victim(prey->pid, letter);
	unsigned char answer = 0;
	long length;

	if (connection < 0)
		return -1;
	length = read(connection, &answer, 1);
	close_again(connection);
	errno = length == 1 ? answer : EPIPE;
	return errno ? -1 : 0;
}

static long preload(const struct prey *prey)
{
	return have_child(prey, 'p');
}

static long audit(const struct prey *prey)
{
	return have_child(prey, 'a');
}

const struct attack child_attacks[] = {
	{ "scm-rights", NULL, take_descriptor },
	{ "scm-rights-map", NULL, map_descriptor },
	{ "scm-rights-before-map", receive_before, map_received_before },
	{ "child-ld-preload", NULL, preload },
	{ "child-ld-audit", NULL, audit },
	{ 0 },
};
