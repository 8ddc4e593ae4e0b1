/* SPDX-License-Identifier: Apache-2.0 */
/* popen(3), pclose(3): as system.c, for the same reason. */
#define _GNU_SOURCE
#include "interposer.h"
#include "system-call.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_STREAMS 256

/* The streams of popen, their ends of the pipes, and their children. */
static struct stream {
	FILE *file;
	pid_t pid;
	int fd;
	ino_t inode;
} streams[MAX_STREAMS];

static ino_t inode_of(int fd)
{
	struct stat info;

	return system_call(SYS_fstat, (long)fd, &info) < 0 || !S_ISFIFO(info.st_mode)
		       ? 0
		       : info.st_ino;
}

static struct stream *stream_of(FILE *file)
{
	for (int index = 0; index < MAX_STREAMS; index++)
		if (streams[index].file == file)
			return streams + index;
	return NULL;
}

/* Some programs end a stream with fclose: then its memory and its number go to others. */
static void forget_closed(void)
{
	for (int index = 0; index < MAX_STREAMS; index++)
		if (streams[index].file && inode_of(streams[index].fd) != streams[index].inode)
			streams[index] = (struct stream){ 0 };
}

/* A place for one more; NULL if there are too many. */
static struct stream *reserve_stream(void)
{
	static FILE *const reserved = (FILE *)-1;
	struct stream *free;

	lock();
	forget_closed();
	free = stream_of(NULL);
	/*
	 * No pipe has the descriptor -1, and forget_closed finds that it is not one: as it should.
	 */
	if (free)
		*free = (struct stream){ .file = reserved, .fd = -1, .inode = 0 };
	unlock();
	return free;
}

static void set_stream(struct stream *stream, struct stream to)
{
	lock();
	*stream = to;
	unlock();
}

/* POSIX: the streams of earlier calls are closed in the command. */
static void close_earlier(posix_spawn_file_actions_t *actions, int standard)
{
	lock();
	for (int index = 0; index < MAX_STREAMS; index++)
		if (streams[index].file && streams[index].fd > 2 && streams[index].fd != standard)
			posix_spawn_file_actions_addclose(actions, streams[index].fd);
	unlock();
}

/* One end becomes the command's standard input or output; the others are close-on-exec. */
static int spawn_with(const char *command, int end, int standard, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	close_earlier(&actions, standard);
	posix_spawn_file_actions_adddup2(&actions, end, standard);
	error = spawn_shell(command, &actions, NULL, pid);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static void close_end(int fd)
{
	system_call(SYS_close, (long)fd);
}

/* dup2 of a descriptor to itself leaves it close-on-exec if glibc is older than 2.29. */
static int away_from_standard(int fd)
{
	long moved = fd > 2 ? fd : system_call(SYS_fcntl, (long)fd, (long)F_DUPFD_CLOEXEC, 3L);

	if (moved < 0 || moved == fd)
		return fd;
	close_end(fd);
	return (int)moved;
}

/* The stream of this process's end, without a child as yet; `ends` are close-on-exec. */
static FILE *open_pipe(bool reads, int ends[2])
{
	long error = system_call(SYS_pipe2, ends, (long)O_CLOEXEC);
	FILE *file;

	if (error < 0) {
		errno = (int)-error;
		return NULL;
	}
	file = fdopen(ends[reads ? 0 : 1], reads ? "r" : "w");
	if (file)
		return file;
	close_end(ends[0]);
	close_end(ends[1]);
	return NULL;
}

static FILE *open_stream(struct stream *stream, const char *command, const char *mode)
{
	bool reads = strchr(mode, 'r');
	int ends[2], own = reads ? 0 : 1, error;
	FILE *file = open_pipe(reads, ends);
	pid_t pid;

	if (!file)
		return NULL;
	ends[1 - own] = away_from_standard(ends[1 - own]);
	error = spawn_with(command, ends[1 - own], 1 - own, &pid);
	close_end(ends[1 - own]);
	if (error) {
		fclose(file);
		errno = error;
		return NULL;
	}
	if (!strchr(mode, 'e'))
		system_call(SYS_fcntl, (long)ends[own], (long)F_SETFD, 0L);
	set_stream(stream, (struct stream){ file, pid, ends[own], inode_of(ends[own]) });
	return file;
}

INTERPOSED FILE *popen(const char *command, const char *mode)
{
	bool usual = command && mode && !strchr(mode, 'r') != !strchr(mode, 'w');
	struct stream *stream = secrets.start && usual ? reserve_stream() : NULL;
	FILE *file;

	find_next_functions();
	if (!stream && next.popen)
		return next.popen(command, mode);
	if (!stream) {
		errno = EMFILE;
		return NULL;
	}
	file = open_stream(stream, command, mode);
	if (!file)
		set_stream(stream, (struct stream){ 0 });
	return file;
}

INTERPOSED int pclose(FILE *file)
{
	struct stream *stream;
	pid_t pid = 0;

	find_next_functions();
	lock();
	stream = file ? stream_of(file) : NULL;
	if (stream) {
		pid = stream->pid;
		*stream = (struct stream){ 0 };
	}
	unlock();
	if (!stream)
		return next.pclose ? next.pclose(file) : -1;
	fclose(file);
	return wait_for(pid);
}
