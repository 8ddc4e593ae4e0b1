/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* System calls: the number, and the arguments that matter. */
#ifndef SVC_SYSCALLS_H
#define SVC_SYSCALLS_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#if defined(__TARGET_ARCH_x86)
#include "machine_x86.h"
#else
#include "machine_arm64.h"
#endif

static __always_inline int is_call_of(const struct call *call, int native, int compat)
{
	return call->number == (call->abi == SVC_ABI_COMPAT ? compat : native);
}

/*
 * sendfile writes to its first descriptor and reads from its second one. splice and copy_file_range
 * read from the first, and write to the third argument's. Other calls have one descriptor.
 */
static __always_inline int other_descriptor(const struct call *call)
{
	if (is_call_of(call, NATIVE_sendfile, COMPAT_sendfile) ||
	    is_call_of(call, NATIVE_sendfile64, COMPAT_sendfile64))
		return second_argument(call);
	if (is_call_of(call, NATIVE_splice, COMPAT_splice) ||
	    is_call_of(call, NATIVE_copy_file_range, COMPAT_copy_file_range))
		return third_argument(call);
	return -1;
}

/* tgkill and rt_tgsigqueueinfo name a process first, and then the thread. */
static __always_inline int names_thread(const struct call *call)
{
	return is_call_of(call, NATIVE_tgkill, COMPAT_tgkill) ||
	       is_call_of(call, NATIVE_rt_tgsigqueueinfo, COMPAT_rt_tgsigqueueinfo) ||
	       call->number == X32_rt_tgsigqueueinfo;
}

/* True if a program watches the call. It runs at every system call of the machine. */
static __always_inline int recognise(struct call *call, unsigned long id)
{
	unsigned long number = number_of(id);

	if (number >= SYSCALLS || !(native_kinds[number] | compat_kinds[number]))
		return 0;
	call->number = number;
	call->abi = abi_of(call->regs, id);
	call->kind = call->abi == SVC_ABI_COMPAT ? compat_kinds[number] : native_kinds[number];
	return call->kind != SVC_KIND_NONE;
}

#endif
