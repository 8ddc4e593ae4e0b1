/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to move bytes that no system call for one descriptor shows. */
#ifndef SVC_TRANSFERS_H
#define SVC_TRANSFERS_H

#include <stddef.h>

#include "ring.h"

/*
 * Has a ring open the file without an answer. The kernel knows the name then, and needs no worker
 * to open it. A worker's linked requests would run one after the other, and no tracepoint sees
 * them.
 */
struct io_uring_sqe quiet_opening(const char *path, int flags);

/* A ring of io_uring(7) opens the file, and gives no answer. The descriptor, or -1 with errno. */
int open_quietly(const char *path, int flags);

/*
 * By io_submit(2): `opcode` is IOCB_CMD_PREAD or IOCB_CMD_PWRITE, from the beginning of the file.
 * How many bytes were moved, or -1 with errno.
 */
long transfer_by_request(int opcode, int fd, char *bytes, size_t length);

#endif
