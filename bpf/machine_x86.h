/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * How x86 calls the kernel: with 64 bits, with 32 (also from a program of 64: int 0x80), and by
 * x32.
 */
#ifndef SVC_MACHINE_X86_H
#define SVC_MACHINE_X86_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "user_memory.h"

/* arch/x86/include/uapi/asm/unistd.h and arch/x86/include/asm/thread_info.h */
#define X32_SYSCALL_BIT 0x40000000
#define TS_COMPAT 0x0002

/*
 * The value that the caller has put into the register of the number. Code outside of a call has -1
 * there.
 */
static __always_inline long id_in(const struct pt_regs *regs)
{
	return regs->orig_ax;
}

static __always_inline unsigned long number_of(unsigned long id)
{
	return id & ~X32_SYSCALL_BIT;
}

static __always_inline __u8 abi_of(const struct pt_regs *regs, unsigned long id)
{
	if (bpf_get_current_task_btf()->thread_info.status & TS_COMPAT)
		return SVC_ABI_COMPAT;
	return id & X32_SYSCALL_BIT ? SVC_ABI_X32 : SVC_ABI_NATIVE;
}

static __always_inline __u64 first_argument(const struct call *call)
{
	return call->abi == SVC_ABI_COMPAT ? (__u32)call->regs->bx : call->regs->di;
}

static __always_inline __u64 second_argument(const struct call *call)
{
	return call->abi == SVC_ABI_COMPAT ? (__u32)call->regs->cx : call->regs->si;
}

static __always_inline __u64 third_argument(const struct call *call)
{
	return call->abi == SVC_ABI_COMPAT ? (__u32)call->regs->dx : call->regs->dx;
}

static __always_inline __u64 fifth_argument(const struct call *call)
{
	return call->abi == SVC_ABI_COMPAT ? (__u32)call->regs->di : call->regs->r8;
}

/*
 * The descriptor that is mapped, -1 of anonymous memory. 32-bit code of Linux's first years gives
 * the arguments of mmap in a structure, which another thread may rewrite: it is unknown.
 */
static __always_inline enum knowledge mapped_descriptor(const struct call *call, int *descriptor)
{
	const struct pt_regs *regs = call->regs;

	if (call->abi != SVC_ABI_COMPAT)
		*descriptor = regs->r10 & MAP_ANONYMOUS ? -1 : (int)regs->r8;
	else if (call->number != COMPAT_mmap)
		*descriptor = regs->si & MAP_ANONYMOUS ? -1 : (int)regs->di;
	else
		return UNKNOWN;
	return KNOWN;
}

/* The first argument as an int, also when the call is over. */
static __always_inline int first_argument_after(const struct call *call)
{
	return first_argument(call);
}

#endif
