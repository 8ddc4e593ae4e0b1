/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts to switch the agent off: the process is the agent. If it succeeds it does harm. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define BPFFS "/sys/fs/bpf"
#define PINS BPFFS "/svc"
#define MOST_DESCRIPTORS 128

static char pin[256];

static long bpf(int command, union bpf_attr *attributes)
{
	return syscall(SYS_bpf, WIDE(command), attributes, sizeof(*attributes));
}

static long end_it(const struct prey *prey)
{
	return kill(prey->pid, SIGKILL);
}

static long stop_it(const struct prey *prey)
{
	return kill(prey->pid, SIGSTOP);
}

static long dump_it(const struct prey *prey)
{
	return kill(prey->pid, SIGQUIT);
}

static long ask_it_to_end(const struct prey *prey)
{
	return kill(prey->pid, SIGTERM);
}

static long trace_it(const struct prey *prey)
{
	return ptrace(PTRACE_SEIZE, prey->pid, NULL, NULL);
}

static long open_memory(const struct prey *prey)
{
	return close_again(open_of(prey->pid, "mem", O_RDWR));
}

/* Any of its descriptors: maps and links are among them. */
static long take_descriptor(const struct prey *prey)
{
	int pidfd = pidfd_of(prey->pid);
	long result = -1;

	for (int fd = 0; fd < MOST_DESCRIPTORS && result < 0; fd++)
		result = close_again(syscall(SYS_pidfd_getfd, pidfd, fd, 0));
	close_again(pidfd);
	return result;
}

/* To a map that it has already. */
static long set_limit(const struct prey *prey)
{
	struct rlimit limit;

	if (prlimit(prey->pid, RLIMIT_NOFILE, NULL, &limit))
		return -1;
	return prlimit(prey->pid, RLIMIT_NOFILE, &limit, NULL);
}

static int note_first(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)place;
	if (kind != FTW_F)
		return 0;
	snprintf(pin, sizeof(pin), "%s", path);
	return 1;
}

/* Any pinned object. */
static const char *some_pin(void)
{
	if (nftw(PINS, note_first, 8, FTW_PHYS) == 1)
		return pin;
	errno = ENOENT;
	return NULL;
}

static long remove_pin(const struct prey *prey)
{
	const char *path = some_pin();

	(void)prey;
	return path ? unlink(path) : -1;
}

static long move_pin(const struct prey *prey)
{
	const char *path = some_pin();

	(void)prey;
	return path ? rename(path, BPFFS "/moved") : -1;
}

static long move_folder(const struct prey *prey)
{
	(void)prey;
	return rename(PINS, BPFFS "/moved");
}

static long remove_folder(const struct prey *prey)
{
	(void)prey;
	return rmdir(PINS);
}

static long unmount(const struct prey *prey)
{
	(void)prey;
	return umount2(BPFFS, 0);
}

static long unmount_lazily(const struct prey *prey)
{
	(void)prey;
	return umount2(BPFFS, MNT_DETACH);
}

static long move_file_system(const struct prey *prey)
{
	(void)prey;
	return mount(BPFFS, "/mnt", NULL, MS_MOVE, NULL);
}

/* Calls it for each object of a kind until one call succeeds. */
static long with_each(int next_command, int open_command, long (*change)(int fd))
{
	union bpf_attr next = { 0 };
	long result = -1;
	int error = 0;

	while (result < 0 && bpf(next_command, &next) == 0) {
		union bpf_attr open = { .map_id = next.next_id };
		int fd = bpf(open_command, &open);

		result = fd < 0 ? -1 : change(fd);
		/* The answer that says more is kept. */
		if (result < 0 && errno != ENOENT)
			error = errno;
		close_again(fd);
		next.start_id = next.next_id;
	}
	errno = error ? error : ENOENT;
	return result;
}

/* The kernel side's note of a task is about this process then, and says nothing. */
static long change_map(int fd, const char *name)
{
	struct bpf_map_info info = { 0 };
	union bpf_attr attributes = { 0 };
	char value[256] = { 0 };
	int pidfd;
	long result;

	attributes.info.bpf_fd = fd;
	attributes.info.info_len = sizeof(info);
	attributes.info.info = (unsigned long)&info;
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attributes))
		return -1;
	errno = ENOENT;
	if (strcmp(info.name, name) != 0 || info.value_size > sizeof(value))
		return -1;
	pidfd = pidfd_of(getpid());
	memset(&attributes, 0, sizeof(attributes));
	attributes.map_fd = fd;
	attributes.key = (unsigned long)&pidfd;
	attributes.value = (unsigned long)value;
	result = bpf(BPF_MAP_UPDATE_ELEM, &attributes);
	close_again(pidfd);
	return result;
}

static long mark_myself(int fd)
{
	return change_map(fd, "protections");
}

/* Which file it opens, between two questions of the kernel's. */
static long forget_opening(int fd)
{
	return change_map(fd, "openings");
}

static long change_openings(const struct prey *prey)
{
	(void)prey;
	return with_each(BPF_MAP_GET_NEXT_ID, BPF_MAP_GET_FD_BY_ID, forget_opening);
}

static long change_marks(const struct prey *prey)
{
	(void)prey;
	return with_each(BPF_MAP_GET_NEXT_ID, BPF_MAP_GET_FD_BY_ID, mark_myself);
}

/* Asks for one map, as an agent that begins does, and opens the memory of the agent that runs. */
static long ask_and_open(__u32 id, const struct prey *prey)
{
	union bpf_attr open = { .map_id = id };
	int status;
	pid_t child = fork();

	if (child == 0) {
		close_again(bpf(BPF_MAP_GET_FD_BY_ID, &open));
		_exit(open_memory(prey) == 0 ? 0 : errno);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	if (WIFSIGNALED(status))
		errno = EPERM;
	else
		errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

/* A process for each map: one of the maps says which process is the agent. */
static long take_over(const struct prey *prey)
{
	union bpf_attr next = { 0 };
	long result = -1;

	while (result < 0 && bpf(BPF_MAP_GET_NEXT_ID, &next) == 0) {
		result = ask_and_open(next.next_id, prey);
		next.start_id = next.next_id;
	}
	return result;
}

static long detach_link(int fd)
{
	union bpf_attr attributes = { .link_detach.link_fd = fd };

	return bpf(BPF_LINK_DETACH, &attributes);
}

static long detach_links(const struct prey *prey)
{
	(void)prey;
	return with_each(BPF_LINK_GET_NEXT_ID, BPF_LINK_GET_FD_BY_ID, detach_link);
}

static long change_pinned_marks(const struct prey *prey)
{
	union bpf_attr attributes = { .pathname = (unsigned long)PINS "/protections" };
	int fd = bpf(BPF_OBJ_GET, &attributes);
	long result = fd < 0 ? -1 : mark_myself(fd);

	(void)prey;
	close_again(fd);
	return result;
}

/* Something else lies on top of the pins then. */
static long cover(const struct prey *prey)
{
	(void)prey;
	return mount("cover", PINS, "tmpfs", 0, NULL);
}

static long cover_all(const struct prey *prey)
{
	(void)prey;
	return mount("cover", BPFFS, "tmpfs", 0, NULL);
}

const struct attack tamper_attacks[] = {
	{ "agent-limit", NULL, set_limit },
	{ "agent-memory", NULL, open_memory },
	{ "agent-descriptor", NULL, take_descriptor },
	{ "agent-trace", NULL, trace_it },
	{ "marks-by-pin", NULL, change_pinned_marks },
	{ "marks-by-id", NULL, change_marks },
	{ "openings-by-id", NULL, change_openings },
	{ "agent-take-over", NULL, take_over },
	{ "links-by-id", NULL, detach_links },
	{ "pin-move", NULL, move_pin },
	{ "pin-remove", NULL, remove_pin },
	{ "pins-remove-folder", NULL, remove_folder },
	{ "pins-move-folder", NULL, move_folder },
	{ "pins-cover", NULL, cover },
	{ "bpffs-cover", NULL, cover_all },
	{ "bpffs-move", NULL, move_file_system },
	{ "bpffs-unmount", NULL, unmount },
	{ "bpffs-unmount-lazily", NULL, unmount_lazily },
	{ "agent-dump", NULL, dump_it },
	{ "agent-stop", NULL, stop_it },
	{ "agent-end", NULL, ask_it_to_end },
	{ "agent-kill", NULL, end_it },
	{ 0 },
};
