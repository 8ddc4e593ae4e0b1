/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of io_uring(7), and how requests are given to it. */
#ifndef SVC_RING_H
#define SVC_RING_H

#include <linux/io_uring.h>

struct ring {
	int fd;
	char *submissions, *completions;
	struct io_uring_sqe *entries;
	struct io_uring_params params;
};

/* As many requests as a ring takes at once. */
#define RING_ENTRIES 8

/* `flags` are IORING_SETUP_*. 0, or -1 with errno. */
int set_up_ring(struct ring *ring, unsigned int flags);

/* Gives it these requests with one call, and waits for a number of answers. */
int submit(struct ring *ring, const struct io_uring_sqe *entries, int count, int answers);

/* The descriptor that the kernel gives out next. */
int next_descriptor(void);

/* The next answer; -1 with errno if the request failed. */
int next_answer(struct ring *ring);

/* The available answer to the request with this user_data; 0 if it has none. */
int answer_to(const struct ring *ring, unsigned long user_data);

/* Has the kernel do one thing; its answer. */
int have_done(struct ring *ring, const struct io_uring_sqe *entry);

/* Gives the ring a table with one slot, which is empty. */
int make_slot(struct ring *ring);

/*
 * Has the kernel open it into the first slot of the ring's own table, in which it has no
 * descriptor.
 */
int open_into_slot(struct ring *ring, const char *path);

/* Closes the ring; how many bytes of the canary were read, -1 of a length below 0. */
long answer_of(const struct ring *ring, long length);

#endif
