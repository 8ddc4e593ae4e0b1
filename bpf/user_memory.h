/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Memory of the caller, which a program cannot always read: its page may not be in the page table
 * yet. The kernel fetches the page when the call reads it. So arguments in such memory are unknown,
 * and never harmless.
 */
#ifndef SVC_USER_MEMORY_H
#define SVC_USER_MEMORY_H

#include "kernel.h"

enum knowledge {
	KNOWN,
	UNKNOWN,
};

__attribute__((warn_unused_result)) static __always_inline enum knowledge
copy_from_caller(void *to, __u32 size, __u64 from)
{
	return bpf_probe_read_user(to, size, (void *)from) ? UNKNOWN : KNOWN;
}

/*
 * A string with its NUL, cut at the end of the room. Its length, or 0 for one that is unknown.
 */
static __always_inline __u32 copy_string_from_caller(char *to, __u32 room, __u64 from)
{
	long length = bpf_probe_read_user_str(to, room, (void *)from);

	return length > 0 ? length : 0;
}

#endif
