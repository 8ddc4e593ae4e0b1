/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `opens-by-ring PATH READER` has io_uring(7) open a file without an answer, and a process reads it.
 * The reader is the process itself (`itself`), or one that gets a copy of its descriptors (`child`,
 * `program`). Or it shares them (`sharer`), is sent the descriptor (`receiver`, `ring-receiver`), or
 * takes it (`taker`). With `none` the file is only open. The program prints the number of the reader
 * after the read, and ends when its input ends.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES (64 * 1024)

struct ring {
	int fd;
	struct io_uring_params params;
	char *submissions;
	struct io_uring_sqe *entries;
};

static void *mapped(size_t bytes, int fd, off_t offset)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	return memory;
}

static struct ring set_up(void)
{
	struct ring ring = { 0 };

	ring.fd = syscall(SYS_io_uring_setup, 4, &ring.params);
	if (ring.fd < 0)
		err(2, "io_uring_setup");
	ring.submissions = mapped(ring.params.sq_off.array + 4 * sizeof(__u32), ring.fd,
				  IORING_OFF_SQ_RING);
	ring.entries = mapped(4 * sizeof(struct io_uring_sqe), ring.fd, IORING_OFF_SQES);
	return ring;
}

/* The last request of these is answered. */
static void submit(struct ring *ring, const struct io_uring_sqe *requests, unsigned int count)
{
	unsigned int *tail = (void *)(ring->submissions + ring->params.sq_off.tail);
	unsigned int *places = (void *)(ring->submissions + ring->params.sq_off.array);

	for (unsigned int i = 0; i < count; i++) {
		unsigned int place = (*tail + i) & (ring->params.sq_entries - 1);

		ring->entries[place] = requests[i];
		places[place] = place;
	}
	__atomic_store_n(tail, *tail + count, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, count, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		err(1, "io_uring_enter");
}

/* The descriptor that the kernel gives to the next file. */
static int next_descriptor(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static int open_quietly(struct ring *ring, const char *path)
{
	struct io_uring_sqe requests[2] = {
		{ .opcode = IORING_OP_OPENAT,
		  .flags = IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK,
		  .fd = AT_FDCWD,
		  .addr = (unsigned long)path },
		{ .opcode = IORING_OP_NOP },
	};
	int fd = next_descriptor();

	submit(ring, requests, 2);
	if (fcntl(fd, F_GETFD) < 0)
		err(1, "open %s", path);
	return fd;
}

static void read_file(int fd)
{
	char bytes[64];

	if (read(fd, bytes, sizeof(bytes)) < 0)
		err(1, "read");
	printf("%d\n", getpid());
	fflush(stdout);
}

union ancillary {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

static struct msghdr message(union ancillary *ancillary, struct iovec *part)
{
	return (struct msghdr){
		.msg_iov = part,
		.msg_iovlen = 1,
		.msg_control = ancillary,
		.msg_controllen = sizeof(*ancillary),
	};
}

static void send_descriptor(struct ring *by, int socket, int fd)
{
	union ancillary ancillary = { .head = { .cmsg_len = CMSG_LEN(sizeof(int)),
						.cmsg_level = SOL_SOCKET,
						.cmsg_type = SCM_RIGHTS } };
	struct iovec part = { .iov_base = "x", .iov_len = 1 };
	struct msghdr sent = message(&ancillary, &part);
	struct io_uring_sqe request = { .opcode = IORING_OP_SENDMSG,
					.fd = socket,
					.addr = (unsigned long)&sent,
					.len = 1 };

	memcpy(CMSG_DATA(&ancillary.head), &fd, sizeof(fd));
	if (by)
		submit(by, &request, 1);
	else if (sendmsg(socket, &sent, 0) < 0)
		err(1, "sendmsg");
}

static int receive_descriptor(int socket)
{
	union ancillary ancillary = { 0 };
	char byte;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr received = message(&ancillary, &part);
	int fd;

	if (recvmsg(socket, &received, 0) < 0)
		err(1, "recvmsg");
	memcpy(&fd, CMSG_DATA(&ancillary.head), sizeof(fd));
	return fd;
}

/* Begins before the ring opens, and is told the descriptor, or sent it. */
struct early {
	int sockets[2];
	const char *who;
};

static int run_early(void *given)
{
	struct early *early = given;
	int socket = early->sockets[1], fd, pidfd;

	if (!strcmp(early->who, "sharer") || !strcmp(early->who, "taker")) {
		if (read(socket, &fd, sizeof(fd)) != sizeof(fd))
			err(1, "read of a number");
		if (!strcmp(early->who, "taker")) {
			pidfd = syscall(SYS_pidfd_open, getppid(), 0);
			fd = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
		}
	} else {
		fd = receive_descriptor(socket);
	}
	if (fd < 0)
		err(1, "no descriptor");
	read_file(fd);
	return 0;
}

static int is_early(const char *who)
{
	return strstr(who, "receiver") || !strcmp(who, "sharer") || !strcmp(who, "taker");
}

static void start_early(struct early *early)
{
	int shared = strcmp(early->who, "sharer") ? 0 : CLONE_FILES;
	char *stack = malloc(STACK_BYTES);

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, early->sockets))
		err(1, "socketpair");
	if (!stack || clone(run_early, stack + STACK_BYTES, shared | SIGCHLD, early) < 0)
		err(1, "clone");
}

static void hand_over(struct early *early, struct ring *ring, int fd)
{
	int is_by_ring = !strcmp(early->who, "ring-receiver");

	if (strstr(early->who, "receiver"))
		send_descriptor(is_by_ring ? ring : NULL, early->sockets[0], fd);
	else if (write(early->sockets[0], &fd, sizeof(fd)) != sizeof(fd))
		err(1, "write of a number");
}

static void let_child_read(int fd, const char *program)
{
	char number[16];

	if (fork())
		return;
	if (!program) {
		read_file(fd);
		exit(0);
	}
	snprintf(number, sizeof(number), "%d", fd);
	execl(program, program, "--read", number, NULL);
	err(1, "execl %s", program);
}

int main(int argc, char **argv)
{
	struct early early = { 0 };
	struct ring ring;
	char rest;
	int fd;

	if (argc != 3)
		errx(1, "usage: %s PATH READER", argv[0]);
	if (!strcmp(argv[1], "--read")) {
		read_file(atoi(argv[2]));
		return 0;
	}
	early.who = argv[2];
	if (is_early(early.who))
		start_early(&early);
	ring = set_up();
	fd = open_quietly(&ring, argv[1]);
	if (is_early(early.who))
		hand_over(&early, &ring, fd);
	else if (!strcmp(early.who, "itself"))
		read_file(fd);
	else if (!strcmp(early.who, "child") || !strcmp(early.who, "program"))
		let_child_read(fd, strcmp(early.who, "program") ? NULL : "/proc/self/exe");
	else
		printf("%d\n", getpid());
	fflush(stdout);
	while (read(0, &rest, 1) > 0) {
	}
	while (wait(NULL) > 0) {
	}
	return 0;
}
