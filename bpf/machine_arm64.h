/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * How arm64 calls the kernel: with 64 bits, and programs of 32 bits (AArch32) by other numbers.
 */
#ifndef SVC_MACHINE_ARM64_H
#define SVC_MACHINE_ARM64_H

#include "kernel.h"
#include "event.h"
#include "calls.h"
#include "user_memory.h"

/*
 * arch/arm64/include/uapi/asm/ptrace.h: the processor runs code of 32 bits. No code of 64 bits gets
 * there.
 */
#define PSR_MODE32_BIT 0x10

/*
 * The value that the caller has put into the register of the number. Code outside of a call has -1
 * there.
 */
static __always_inline long id_in(const struct pt_regs *regs)
{
	return regs->syscallno;
}

static __always_inline unsigned long number_of(unsigned long id)
{
	return id;
}

static __always_inline __u8 abi_of(const struct pt_regs *regs, unsigned long id)
{
	return regs->pstate & PSR_MODE32_BIT ? SVC_ABI_COMPAT : SVC_ABI_NATIVE;
}

/*
 * Those of 32 bits have the same registers, of which they see the lower halves. The first one is
 * the result in the end.
 */
#define ARGUMENT(call, place)                                                  \
	((call)->abi == SVC_ABI_COMPAT ? (__u32)(call)->regs->regs[place] :    \
					 (call)->regs->regs[place])

static __always_inline __u64 first_argument(const struct call *call)
{
	return ARGUMENT(call, 0);
}

static __always_inline __u64 second_argument(const struct call *call)
{
	return ARGUMENT(call, 1);
}

static __always_inline __u64 third_argument(const struct call *call)
{
	return ARGUMENT(call, 2);
}

static __always_inline __u64 fifth_argument(const struct call *call)
{
	return ARGUMENT(call, 4);
}

/* The descriptor that is mapped, -1 of anonymous memory. */
static __always_inline enum knowledge mapped_descriptor(const struct call *call, int *descriptor)
{
	*descriptor = ARGUMENT(call, 3) & MAP_ANONYMOUS ? -1 : (int)ARGUMENT(call, 4);
	return KNOWN;
}

/* The first argument as an int, also when the call is over. */
static __always_inline int first_argument_after(const struct call *call)
{
	return call->regs->orig_x0;
}

#endif
