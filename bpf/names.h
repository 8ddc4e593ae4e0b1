/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Names of files, as the kernel has them. */
#ifndef SVC_NAMES_H
#define SVC_NAMES_H

#define NAME_BYTES 32

#define IS(name, literal) (__builtin_memcmp(name, literal, sizeof(literal)) == 0)

#endif
