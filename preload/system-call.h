/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls without libc: they neither need it nor touch errno, and no thread can be cancelled
 * in them. They return the kernel's result: below zero it is the negative errno.
 */
#ifndef SVC_SYSTEM_CALL_H
#define SVC_SYSTEM_CALL_H

#include <sys/syscall.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

/* Arguments are integers or pointers; those that are not given have any value, as in syscall(2). */
long system_call(long number, ...);

#endif
