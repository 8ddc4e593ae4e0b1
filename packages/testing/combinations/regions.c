/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goals whose arguments are read when a descriptor is used: mmap(2) of 32 bits, which has a
 * structure of them, and io_submit(2).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "combination.h"

/* linux/pidfd.h of Linux 6.9 */
#define PIDFD_OF_THREAD O_EXCL
#define CORE_PATTERN "sys/kernel/core_pattern"

static int pidfd = -1, connection = -1;

static void take_pidfd(void)
{
	pidfd = syscall(SYS_pidfd_open, aim(), parts.target == OTHER_THREAD ? PIDFD_OF_THREAD : 0);
}

static long copy_descriptor(void)
{
	if (parts.is_narrow)
		return call_narrow(438, pidfd, quarry.descriptor, 0, 0, 0);
	return syscall(SYS_pidfd_getfd, pidfd, quarry.descriptor, 0);
}

static void ask_for_descriptor(void)
{
	connection = ask_quarry('d');
}

static long receive_descriptor(void)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec bytes = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *head;
	int fd = -1;

	if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC) < 0)
		return -1;
	head = CMSG_FIRSTHDR(&message);
	errno = EPERM;
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/* arch/x86/kernel/sys_ia32.c */
struct mapping {
	uint32_t address, length, protection, flags, fd, offset;
};

static long map_region(int fd)
{
	struct mapping asked = { 0, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0 };
	char *page;
	long finds;

	if (parts.is_narrow) {
		lay(&(struct image){ &asked, sizeof(asked), offsetof(struct mapping, fd), -1 });
		page = (char *)call_narrow(90, (long)arguments_page, 0, 0, 0, 0);
	} else
		page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return 0;
	finds = count_canaries(page, PAGE_BYTES);
	munmap(page, PAGE_BYTES);
	return finds;
}

/* The path is warm. */
static long open_setting(void)
{
	static const char path[] = CORE_PATTERN;

	return open_by_ring(path, path, O_WRONLY);
}

/* Arguments of io_submit(2): the pointer comes first, in 4 or 8 bytes. */
struct submission {
	uint64_t pointer;
	struct iocb request;
};

static long submit(struct submission *all)
{
	struct image image = {
		all, sizeof(*all), offsetof(struct submission, request.aio_fildes), -1,
	};
	aio_context_t context = 0;
	long result;

	all->pointer = (unsigned long)arguments_page + offsetof(struct submission, request);
	common->context = 0;
	if (parts.is_narrow ? call_narrow(245, 1, (long)&common->context, 0, 0, 0) < 0 :
			      syscall(SYS_io_setup, 1L, &context))
		return -1;
	lay(&image);
	if (parts.is_narrow)
		return call_narrow(248, common->context, 1, (long)arguments_page, 0, 0);
	result = syscall(SYS_io_submit, context, 1L, arguments_page);
	syscall(SYS_io_destroy, context);
	return result;
}

/* The setting gets the value that it has. */
static long write_by_request(int fd)
{
	int own = open("/proc/" CORE_PATTERN, O_RDONLY | O_CLOEXEC);
	long length = read(own, common->booty, PAGE_BYTES);
	struct submission all = {
		.request = {
			.aio_lio_opcode = IOCB_CMD_PWRITE,
			.aio_fildes = fd,
			.aio_buf = (unsigned long)common->booty,
			.aio_nbytes = length,
		},
	};

	drop(own);
	return length > 0 && submit(&all) == 1;
}

const struct goal region_goals[] = {
	{ "region", take_pidfd, copy_descriptor, map_region, 1, NULL },
	{ "region-received", ask_for_descriptor, receive_descriptor, map_region, 1, NULL },
	{ "core-pattern-by-request", prepare_ring, open_setting, write_by_request, 1, NULL },
	{ 0 },
};
