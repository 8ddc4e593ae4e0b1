/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to move bytes that no system call for one descriptor shows. */
#ifndef SVC_TRANSFERS_H
#define SVC_TRANSFERS_H

#include <stddef.h>

/* A ring of io_uring(7) opens the file, and gives no answer. The descriptor, or -1 with errno. */
int open_quietly(const char *path, int flags);

/*
 * By io_submit(2): `opcode` is IOCB_CMD_PREAD or IOCB_CMD_PWRITE, from the beginning of the file.
 * How many bytes were moved, or -1 with errno.
 */
long transfer_by_request(int opcode, int fd, char *bytes, size_t length);

#endif
